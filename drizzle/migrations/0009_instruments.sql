CREATE SEQUENCE "public"."instrument_generations" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "instrument_masters" (
	"broker" text PRIMARY KEY NOT NULL,
	"generation" integer,
	"as_of" text,
	"loaded_at" timestamp with time zone,
	"rows" integer DEFAULT 0 NOT NULL,
	"skipped" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"chains" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"message" text
);
--> statement-breakpoint
CREATE TABLE "instruments" (
	"generation" integer NOT NULL,
	"exchange" text NOT NULL,
	"symbol" text NOT NULL,
	"name" text,
	"kind" text NOT NULL,
	"underlying" text,
	"expiry" date,
	"strike" numeric,
	"lot_size" bigint NOT NULL,
	"tick_size" numeric,
	"freeze_quantity" bigint,
	"isin" text,
	"broker_symbol" text NOT NULL,
	"token" text NOT NULL,
	"words" "tsvector"
);
--> statement-breakpoint
CREATE INDEX "instruments_symbol" ON "instruments" USING btree ("generation","exchange","symbol");--> statement-breakpoint
CREATE INDEX "instruments_broker_symbol" ON "instruments" USING btree ("generation","exchange","broker_symbol");--> statement-breakpoint
CREATE INDEX "instruments_token" ON "instruments" USING btree ("generation","exchange","token");--> statement-breakpoint
CREATE INDEX "instruments_spot" ON "instruments" USING btree ("generation","symbol","exchange") WHERE underlying is null;--> statement-breakpoint
CREATE INDEX "instruments_chain" ON "instruments" USING btree ("generation","underlying","expiry",coalesce(strike, -1),"symbol") WHERE underlying is not null;--> statement-breakpoint
CREATE INDEX "instruments_words" ON "instruments" USING gin ("words") WITH (fastupdate=false) WHERE words is not null;