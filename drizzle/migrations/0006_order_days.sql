ALTER TABLE "order_details" DROP CONSTRAINT "order_details_broker_order_id_tsm_orders_broker_order_id_fk";
--> statement-breakpoint
DROP INDEX "trade_history_once";--> statement-breakpoint
ALTER TABLE "order_details" ADD COLUMN "trading_day" text;--> statement-breakpoint
ALTER TABLE "order_details" ADD COLUMN "created_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "trade_history" ADD COLUMN "trading_day" text;--> statement-breakpoint
-- An order of ours belongs to its attempt's day, which may be later than the one it was made on.
UPDATE "order_details" d SET "created_at" = o."created_at", "trading_day" = coalesce((
	SELECT min(r."trading_day") FROM "idempotency_records" r
	WHERE r."broker" = d."broker" AND r."account" = d."account" AND r."order_id" = d."order_id" AND r."order_id" <> ''
		AND r."trading_day" >= to_char(o."created_at" AT TIME ZONE 'Asia/Kolkata', 'YYYY-MM-DD')),
	to_char(o."created_at" AT TIME ZONE 'Asia/Kolkata', 'YYYY-MM-DD'))
FROM "tsm_orders" o WHERE d."broker" = o."broker" AND d."order_id" = o."order_id";--> statement-breakpoint
UPDATE "trade_history" t SET "trading_day" = coalesce(
	(SELECT d."trading_day" FROM "order_details" d WHERE d."broker" = t."broker" AND d."order_id" = t."order_id" AND d."account" = t."account"),
	to_char(t."traded_at" AT TIME ZONE 'Asia/Kolkata', 'YYYY-MM-DD'));--> statement-breakpoint
ALTER TABLE "order_details" ALTER COLUMN "trading_day" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "order_details" ALTER COLUMN "created_at" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "trade_history" ALTER COLUMN "trading_day" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "order_details" DROP CONSTRAINT "order_details_broker_order_id_pk";--> statement-breakpoint
ALTER TABLE "tsm_orders" DROP CONSTRAINT "tsm_orders_broker_order_id_pk";--> statement-breakpoint
ALTER TABLE "order_details" ADD CONSTRAINT "order_details_broker_order_id_account_trading_day_pk" PRIMARY KEY("broker","order_id","account","trading_day");--> statement-breakpoint
ALTER TABLE "tsm_orders" ADD CONSTRAINT "tsm_orders_broker_order_id_created_at_pk" PRIMARY KEY("broker","order_id","created_at");--> statement-breakpoint
ALTER TABLE "order_details" ADD CONSTRAINT "order_details_order" FOREIGN KEY ("broker","order_id","created_at") REFERENCES "public"."tsm_orders"("broker","order_id","created_at") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "trade_history_once" ON "trade_history" USING btree ("broker","account","order_id","trading_day","trade_id");
