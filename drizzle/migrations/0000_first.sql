CREATE TABLE "broker_sessions" (
	"broker" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"sealed" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tsm_capital" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"total_capital" numeric(18, 4),
	"available_capital" numeric(18, 4),
	"deployed_capital" numeric(18, 4),
	"realized_pnl" numeric(18, 4) DEFAULT '0' NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tsm_capital_single" CHECK (id = 1)
);
--> statement-breakpoint
CREATE TABLE "tsm_events" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"kind" text NOT NULL,
	"broker" text,
	"account" text,
	"symbol" text,
	"order_id" text,
	"key" text,
	"detail" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_records" (
	"key" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"owner" text NOT NULL,
	"epoch" integer DEFAULT 1 NOT NULL,
	"request_hash" text NOT NULL,
	"broker" text NOT NULL,
	"account" text NOT NULL,
	"trading_day" text NOT NULL,
	"tag" text NOT NULL,
	"symbol" text NOT NULL,
	"token" text NOT NULL,
	"exchange" text NOT NULL,
	"side" text NOT NULL,
	"order_type" text NOT NULL,
	"product" text NOT NULL,
	"quantity" bigint NOT NULL,
	"price" numeric(18, 4) NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"clock_offset_ms" integer,
	"order_id" text DEFAULT '' NOT NULL,
	"broker_answer" text,
	"net_before" bigint,
	"fill_status" text,
	"filled_quantity" bigint DEFAULT 0 NOT NULL,
	"response" text,
	"resolved_at" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_records_state" CHECK (state in ('CLAIMED', 'SENDING', 'ACCEPTED', 'AMBIGUOUS', 'DONE', 'NOT_SENT', 'UNRESOLVED'))
);
--> statement-breakpoint
CREATE TABLE "order_details" (
	"broker" text NOT NULL,
	"order_id" text NOT NULL,
	"account" text NOT NULL,
	"token" text,
	"external" boolean DEFAULT false NOT NULL,
	CONSTRAINT "order_details_broker_order_id_pk" PRIMARY KEY("broker","order_id")
);
--> statement-breakpoint
CREATE TABLE "tsm_orders" (
	"order_id" text NOT NULL,
	"broker" text NOT NULL,
	"symbol" text NOT NULL,
	"exchange" text NOT NULL,
	"side" text NOT NULL,
	"order_type" text,
	"product" text,
	"quantity" bigint NOT NULL,
	"filled_quantity" bigint DEFAULT 0 NOT NULL,
	"price" numeric(18, 4),
	"avg_price" numeric(18, 4),
	"status" text NOT NULL,
	"mode" text NOT NULL,
	"strategy" text,
	"ai_confidence" numeric(18, 4),
	"reason" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tsm_orders_broker_order_id_pk" PRIMARY KEY("broker","order_id"),
	CONSTRAINT "tsm_orders_side" CHECK (side in ('BUY', 'SELL')),
	CONSTRAINT "tsm_orders_status" CHECK (status in ('PLACED', 'PARTIALLY_FILLED', 'FILLED', 'REJECTED', 'CANCELLED', 'UNKNOWN')),
	CONSTRAINT "tsm_orders_mode" CHECK (mode in ('practice', 'live'))
);
--> statement-breakpoint
CREATE TABLE "position_details" (
	"position_id" bigint PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"token" text,
	"multiplier" numeric(18, 4) DEFAULT '1' NOT NULL,
	"closed_quantity" bigint DEFAULT 0 NOT NULL,
	"exit_value" numeric(18, 4) DEFAULT '0' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tsm_positions" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"symbol" text NOT NULL,
	"broker" text NOT NULL,
	"exchange" text NOT NULL,
	"style" text NOT NULL,
	"side" text NOT NULL,
	"qty" bigint NOT NULL,
	"entry_price" numeric(18, 4),
	"ltp" numeric(18, 4),
	"stop_loss" numeric(18, 4),
	"target_price" numeric(18, 4),
	"status" text NOT NULL,
	"exit_price" numeric(18, 4),
	"realized_pnl" numeric(18, 4),
	"exit_reason" text,
	"strategy" text,
	"ai_confidence" numeric(18, 4),
	"mode" text NOT NULL,
	"entry_order_id" text,
	"sl_order_id" text,
	"opened_at" timestamp with time zone DEFAULT now() NOT NULL,
	"closed_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tsm_positions_side" CHECK (side in ('BUY', 'SELL')),
	CONSTRAINT "tsm_positions_status" CHECK (status in ('OPEN', 'CLOSED')),
	CONSTRAINT "tsm_positions_mode" CHECK (mode in ('practice', 'live')),
	CONSTRAINT "tsm_positions_qty" CHECK (qty >= 0)
);
--> statement-breakpoint
CREATE TABLE "gateway_settings" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "trade_history" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"broker" text NOT NULL,
	"account" text NOT NULL,
	"trade_id" text NOT NULL,
	"order_id" text NOT NULL,
	"symbol" text NOT NULL,
	"exchange" text NOT NULL,
	"side" text NOT NULL,
	"product" text NOT NULL,
	"quantity" bigint NOT NULL,
	"price" numeric(18, 4) NOT NULL,
	"traded_at" timestamp with time zone NOT NULL,
	"mode" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "trade_learning" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"position_id" bigint NOT NULL,
	"broker" text NOT NULL,
	"symbol" text NOT NULL,
	"exchange" text NOT NULL,
	"style" text NOT NULL,
	"side" text NOT NULL,
	"quantity" bigint NOT NULL,
	"entry_price" numeric(18, 4),
	"exit_price" numeric(18, 4),
	"realized_pnl" numeric(18, 4),
	"opened_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone NOT NULL,
	"exit_reason" text,
	"strategy" text,
	"mode" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" serial PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "users_name_unique" UNIQUE("name"),
	CONSTRAINT "users_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
ALTER TABLE "order_details" ADD CONSTRAINT "order_details_broker_order_id_tsm_orders_broker_order_id_fk" FOREIGN KEY ("broker","order_id") REFERENCES "public"."tsm_orders"("broker","order_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "position_details" ADD CONSTRAINT "position_details_position_id_tsm_positions_id_fk" FOREIGN KEY ("position_id") REFERENCES "public"."tsm_positions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "tsm_events_key" ON "tsm_events" USING btree ("key");--> statement-breakpoint
CREATE INDEX "tsm_events_sends" ON "tsm_events" USING btree ("broker","at") WHERE kind in ('order.sending', 'modify.sending', 'cancel.sending');--> statement-breakpoint
CREATE INDEX "idempotency_records_expiry" ON "idempotency_records" USING btree ("expires_at") WHERE state in ('DONE', 'NOT_SENT');--> statement-breakpoint
CREATE INDEX "idempotency_records_pending" ON "idempotency_records" USING btree ("started_at") WHERE state not in ('DONE', 'NOT_SENT');--> statement-breakpoint
CREATE UNIQUE INDEX "idempotency_records_order" ON "idempotency_records" USING btree ("broker","account","trading_day","order_id") WHERE order_id <> '';--> statement-breakpoint
CREATE INDEX "tsm_orders_open" ON "tsm_orders" USING btree ("broker","symbol") WHERE status in ('PLACED', 'PARTIALLY_FILLED');--> statement-breakpoint
CREATE UNIQUE INDEX "tsm_positions_one_open" ON "tsm_positions" USING btree ("broker","exchange","symbol","style") WHERE status = 'OPEN';--> statement-breakpoint
CREATE UNIQUE INDEX "trade_history_once" ON "trade_history" USING btree ("broker","account","order_id","trade_id");--> statement-breakpoint
CREATE UNIQUE INDEX "trade_learning_position" ON "trade_learning" USING btree ("position_id");