DROP INDEX "idempotency_records_pending";--> statement-breakpoint
CREATE INDEX "idempotency_records_pending" ON "idempotency_records" USING btree ("symbol") WHERE state not in ('DONE', 'NOT_SENT');