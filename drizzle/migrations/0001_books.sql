CREATE TABLE "book_accounts" (
	"broker" text NOT NULL,
	"account" text NOT NULL,
	"began_at" timestamp with time zone NOT NULL,
	"funds" numeric(18, 4),
	"opening" numeric(18, 4),
	CONSTRAINT "book_accounts_broker_account_pk" PRIMARY KEY("broker","account")
);
--> statement-breakpoint
CREATE TABLE "instrument_multipliers" (
	"broker" text NOT NULL,
	"exchange" text NOT NULL,
	"symbol" text NOT NULL,
	"multiplier" numeric(18, 4) NOT NULL,
	CONSTRAINT "instrument_multipliers_broker_exchange_symbol_pk" PRIMARY KEY("broker","exchange","symbol")
);
--> statement-breakpoint
ALTER TABLE "position_details" ADD COLUMN "open_cost" numeric(28, 10);--> statement-breakpoint
ALTER TABLE "position_details" ADD COLUMN "closed_cost" numeric(28, 10) DEFAULT '0';--> statement-breakpoint
ALTER TABLE "position_details" ADD COLUMN "base" jsonb;--> statement-breakpoint
ALTER TABLE "position_details" ADD COLUMN "touched_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "trade_history" ADD COLUMN "position_id" bigint;--> statement-breakpoint
ALTER TABLE "trade_history" ADD COLUMN "derived" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "trade_history" ADD COLUMN "frozen" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "tsm_positions_place" ON "tsm_positions" USING btree ("broker","exchange","symbol","style","closed_at");--> statement-breakpoint
CREATE INDEX "trade_history_position" ON "trade_history" USING btree ("position_id");--> statement-breakpoint
CREATE INDEX "trade_history_derived" ON "trade_history" USING btree ("broker","account") WHERE derived;--> statement-breakpoint
UPDATE "position_details" d SET
	"open_cost" = p."entry_price" * p."qty",
	"closed_cost" = d."exit_value" - coalesce(p."realized_pnl", 0) / d."multiplier" * CASE p."side" WHEN 'BUY' THEN 1 ELSE -1 END,
	"touched_at" = p."updated_at"
FROM "tsm_positions" p WHERE p."id" = d."position_id" AND p."status" = 'OPEN';--> statement-breakpoint
UPDATE "position_details" d SET "base" = jsonb_build_object('side', p."side", 'qty', p."qty", 'cost', d."open_cost"::text, 'entry', p."entry_price"::text,
	'closedQuantity', d."closed_quantity", 'exitValue', d."exit_value"::text, 'closedCost', d."closed_cost"::text, 'fixed', true)
FROM "tsm_positions" p WHERE p."id" = d."position_id" AND p."status" = 'OPEN';--> statement-breakpoint
UPDATE "tsm_capital" SET "deployed_capital" = coalesce((
	SELECT sum(round(d."open_cost" * d."multiplier", 4)) FROM "tsm_positions" p JOIN "position_details" d ON d."position_id" = p."id" WHERE p."status" = 'OPEN'), 0);
