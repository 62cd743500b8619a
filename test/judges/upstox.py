"""upstox-python-sdk: hosts are members of its configuration; its two sockets hold theirs in the code that dials."""

import websocket
import upstox_client
from judge import ISIN, NEW_PRICE, NEW_QUANTITY, PRICE, QUANTITY, Heard, Judge, has, signed_in_at

judge = Judge()
keys = judge.credentials
KEY = f'NSE_EQ|{ISIN}'
VERSION = '2.0'
configuration = upstox_client.Configuration()
configuration.host = configuration.order_host = judge.api
client = upstox_client.ApiClient(configuration)


class Socket(websocket.WebSocketApp):
    def __init__(self, url, **options):
        super().__init__(url.replace('wss://api.upstox.com', judge.socket_origin), **options)


websocket.WebSocketApp = Socket


def sign_in():
    app = {'client_id': keys['API_KEY'], 'redirect_uri': keys['REDIRECT_URI']}
    query = f"response_type=code&client_id={app['client_id']}&redirect_uri={app['redirect_uri']}"
    code = signed_in_at(f'{judge.login}?{query}')['code']
    login = upstox_client.LoginApi(client)
    made = login.token(VERSION, code=code, client_secret=keys['API_SECRET'], grant_type='authorization_code', **app)
    configuration.access_token = made.access_token
    assert made.access_token


def data(answer):
    assert answer.status == 'success', answer
    return answer.data


judge.cell('sign-in', sign_in)
user, portfolio = upstox_client.UserApi(client), upstox_client.PortfolioApi(client)
judge.cell('profile', lambda: has(data(user.get_profile(VERSION)).to_dict(), 'user_id', 'exchanges'))
judge.cell('funds', lambda: has(data(user.get_user_fund_margin(VERSION)), 'equity', 'available_margin'))
judge.cell('holdings', lambda: has(data(portfolio.get_holdings(VERSION)), 'average_price', 'INE'))

prices, updates = Heard(), Heard()
quotes = upstox_client.MarketDataStreamerV3(client, [KEY], 'full')
quotes.auto_reconnect(False)
quotes.on('message', prices.tell)
quotes.on('error', prices.tell)
quotes.connect()


def book(told):
    market = told['feeds'][KEY]['fullFeed']['marketFF']
    bids, asks = ([level[side] for level in market['marketLevel']['bidAskQuote']] for side in ('bidP', 'askP'))
    return [*reversed(bids), market['ltpc']['ltp'], *asks]


judge.cell('price feed', lambda: prices.priced(book))
account = upstox_client.PortfolioDataStreamer(client, order_update=True, position_update=True, holding_update=True)
account.auto_reconnect(False)
account.on('message', updates.tell)
account.on('open', lambda: updates.tell('open'))
account.on('error', updates.tell)
account.connect()

orders, orders_v3 = upstox_client.OrderApi(client), upstox_client.OrderApiV3(client)
KINDS = {
    'LIMIT': {'order_type': 'LIMIT', 'price': PRICE},
    'MARKET': {'order_type': 'MARKET', 'price': 0, 'market_protection': -1},
}


def place(kind):
    same = {'quantity': QUANTITY, 'product': 'I', 'validity': 'DAY', 'instrument_token': KEY, 'transaction_type': 'BUY'}
    rest = {'disclosed_quantity': 0, 'trigger_price': 0, 'is_amo': False}
    return data(orders_v3.place_order(upstox_client.PlaceOrderV3Request(**same, **rest, **KINDS[kind]))).order_ids[0]


def rows(answer):
    return [(each.order_id, each.quantity, each.price, each.status) for each in data(answer)]


def modify(order):
    change = {'validity': 'DAY', 'price': NEW_PRICE, 'order_id': order, 'order_type': 'LIMIT', 'trigger_price': 0}
    return data(orders_v3.modify_order(upstox_client.ModifyOrderRequest(quantity=NEW_QUANTITY, **change)))


def margin():
    order = upstox_client.Instrument(instrument_key=KEY, quantity=QUANTITY, product='I', transaction_type='BUY', price=PRICE)
    return data(upstox_client.ChargeApi(client).post_margin(upstox_client.MarginRequest([order]))).required_margin


judge.orders(
    margin=margin,
    place=place,
    modify=modify,
    cancel=lambda order: data(orders_v3.cancel_order(order)),
    book=lambda: rows(orders.get_order_book(VERSION)),
    trades=lambda: [each.order_id for each in data(orders.get_trade_history(VERSION))],
    positions=lambda: data(portfolio.get_positions(VERSION)),
    history=lambda order: rows(orders.get_order_details(VERSION, order_id=order)),
    updates=updates,
)
judge.done()
