CREATE TABLE "gateway_lease" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"epoch" bigint NOT NULL,
	"beat" bigint DEFAULT 0 NOT NULL,
	"hold" text NOT NULL,
	"holder" text NOT NULL,
	"session" text NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "gateway_lease_one" CHECK (id = 1),
	CONSTRAINT "gateway_lease_hold" CHECK (hold in ('lease', 'connection', 'none'))
);
