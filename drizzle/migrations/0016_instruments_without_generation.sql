DROP INDEX "instruments_symbol";--> statement-breakpoint
DROP INDEX "instruments_broker_symbol";--> statement-breakpoint
DROP INDEX "instruments_token";--> statement-breakpoint
DROP INDEX "instruments_spot";--> statement-breakpoint
DROP INDEX "instruments_chain";--> statement-breakpoint
CREATE INDEX "instruments_symbol" ON "instruments" USING btree ("symbol","exchange");--> statement-breakpoint
CREATE INDEX "instruments_broker_symbol" ON "instruments" USING btree ("broker_symbol","exchange");--> statement-breakpoint
CREATE INDEX "instruments_token" ON "instruments" USING btree ("token","exchange");--> statement-breakpoint
CREATE INDEX "instruments_spot" ON "instruments" USING btree (symbol collate "C","exchange") WHERE underlying is null;--> statement-breakpoint
CREATE INDEX "instruments_chain" ON "instruments" USING btree ("underlying","expiry",coalesce(strike, -1),"symbol") WHERE underlying is not null;