-- A claim of the version before was provably not sent.
DELETE FROM "idempotency_records" WHERE state = 'CLAIMED';--> statement-breakpoint
-- What nobody could establish is answered for a week; without a key of its caller's, its day is over.
UPDATE "idempotency_records" SET expires_at = updated_at + CASE WHEN key LIKE 'k:%' THEN interval '7 days' ELSE interval '0' END WHERE state = 'UNRESOLVED' AND expires_at IS NULL;--> statement-breakpoint
ALTER TABLE "idempotency_records" DROP CONSTRAINT "idempotency_records_state";--> statement-breakpoint
DROP INDEX "idempotency_records_expiry";--> statement-breakpoint
CREATE INDEX "idempotency_records_expiry" ON "idempotency_records" USING btree ("expires_at") WHERE state in ('DONE', 'NOT_SENT', 'UNRESOLVED');--> statement-breakpoint
ALTER TABLE "idempotency_records" ADD CONSTRAINT "idempotency_records_state" CHECK (state in ('SENDING', 'ACCEPTED', 'AMBIGUOUS', 'DONE', 'NOT_SENT', 'UNRESOLVED'));