// Places orders with the client that oapi-codegen made, and says of which class each answer is.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"clients/gateway"
)

func bearer(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("GATEWAY_TOKEN"))
	return nil
}

func must[Value any](value Value, err error) Value {
	if err != nil {
		panic(err)
	}
	return value
}

func place(client *gateway.ClientWithResponses, symbol, token, key string, quantity int) *gateway.PlaceOrderResponse {
	key, strategy := "go-"+key, "clients"
	order := gateway.PlaceOrderRequest{
		Symbol: symbol, Token: token, Exchange: "NSE", TransactionType: "BUY", OrderType: "MARKET",
		ProductType: "INTRADAY", Quantity: quantity, IdempotencyKey: &key, Strategy: &strategy,
	}
	return must(client.PlaceOrderWithResponse(context.Background(), nil, order))
}

// A union of this generator is read by asking: it takes any object for any class, and Success tells which it is.
func tell(response *gateway.PlaceOrderResponse) string {
	if response.JSON200 == nil {
		return "none"
	}
	if accepted, err := response.JSON200.AsOrderAccepted(); err == nil && accepted.Success {
		return fmt.Sprintf("OrderAccepted %s %g", accepted.FillStatus, *accepted.FilledQuantity)
	}
	refused := must(response.JSON200.AsOrderRefused())
	if refused.Success {
		return "neither"
	}
	told := fmt.Sprintf("OrderRefused %s", *refused.FillStatus)
	if refused.Status != nil {
		told += " " + *refused.Status
	}
	return told
}

func main() {
	client := must(gateway.NewClientWithResponses(os.Getenv("GATEWAY_URL"), gateway.WithRequestEditorFn(bearer)))
	said := map[string]string{}
	if must(client.GetStatusWithResponse(context.Background())).JSON200.Status == "ready" {
		said["root"] = "GatewayStatus"
	}
	if funds, err := must(client.GetFundsWithResponse(context.Background())).JSON200.AsFunds(); err == nil && funds.Success {
		said["funds"] = "Funds"
	}
	said["filled"] = tell(place(client, "TCS", "2953217", "in", 10))
	said["blocked"] = tell(place(client, "TCS", "2953217", "again", 10))
	said["rejected"] = tell(place(client, "NOSUCH", "1", "none", 10))
	if invalid := place(client, "TCS", "2953217", "zero", 0).JSON422; invalid != nil && !invalid.Success && len(*invalid.Issues) == 1 {
		said["invalid"] = "RequestError"
	}
	fmt.Println(string(must(json.Marshal(said))))
}
