CREATE TABLE "equity_points" (
	"broker" text NOT NULL,
	"account" text NOT NULL,
	"trading_day" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"realised" numeric(18, 4) NOT NULL,
	"unrealised" numeric(18, 4),
	"total" numeric(18, 4),
	CONSTRAINT "equity_points_broker_account_trading_day_at_pk" PRIMARY KEY("broker","account","trading_day","at")
);
