CREATE TABLE "order_requests" (
	"id" text PRIMARY KEY NOT NULL,
	"asked" text NOT NULL,
	"asked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"taken_by" text,
	"answer" text
);
--> statement-breakpoint
CREATE INDEX "idempotency_records_settled" ON "idempotency_records" USING btree ("broker","account") WHERE order_id = tag;