DROP INDEX "idempotency_records_order";--> statement-breakpoint
CREATE INDEX "idempotency_records_filled" ON "idempotency_records" USING btree ("updated_at") WHERE filled_quantity > 0;--> statement-breakpoint
CREATE UNIQUE INDEX "idempotency_records_order" ON "idempotency_records" USING btree ("broker","account","order_id","trading_day") WHERE order_id <> '';