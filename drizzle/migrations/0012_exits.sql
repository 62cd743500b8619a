CREATE TABLE "exits" (
	"key" text PRIMARY KEY NOT NULL,
	"request_hash" text NOT NULL,
	"broker" text NOT NULL,
	"account" text NOT NULL,
	"trading_day" text NOT NULL,
	"begun_at" timestamp with time zone NOT NULL,
	"plan" text NOT NULL,
	"report" text
);
--> statement-breakpoint
CREATE INDEX "exits_begun" ON "exits" USING btree ("begun_at");