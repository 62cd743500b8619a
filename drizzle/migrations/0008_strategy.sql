ALTER TABLE "idempotency_records" ADD COLUMN "strategy" text;--> statement-breakpoint
ALTER TABLE "idempotency_records" ADD COLUMN "ai_confidence" numeric(18, 4);