CREATE INDEX "tsm_events_at" ON "tsm_events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "tsm_events_order" ON "tsm_events" USING btree ("order_id","id") WHERE order_id is not null;--> statement-breakpoint
CREATE INDEX "order_details_day" ON "order_details" USING btree ("broker","account","trading_day");--> statement-breakpoint
CREATE INDEX "tsm_positions_closed" ON "tsm_positions" USING btree ("broker","closed_at") WHERE status = 'CLOSED';--> statement-breakpoint
CREATE INDEX "trade_history_day" ON "trade_history" USING btree ("broker","account","trading_day");