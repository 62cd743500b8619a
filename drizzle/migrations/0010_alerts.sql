CREATE TABLE "alert_outbox" (
	"number" bigserial PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"channel" text NOT NULL,
	"body" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"sent_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "alert_standings" (
	"key" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"message" text NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"told_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "alert_outbox_once" ON "alert_outbox" USING btree ("id","channel");--> statement-breakpoint
CREATE INDEX "alert_outbox_waiting" ON "alert_outbox" USING btree ("number") WHERE sent_at is null;