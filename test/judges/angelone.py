"""smartapi-python: the root is an option for most calls and a constant for one; sockets have constants."""

import pyotp
from judge import NEW_PRICE, NEW_QUANTITY, PRICE, QUANTITY, SYMBOL, TOKEN, Heard, Judge, has, in_background
from SmartApi import SmartConnect
from SmartApi.smartWebSocketOrderUpdate import SmartWebSocketOrderUpdate
from SmartApi.smartWebSocketV2 import SmartWebSocketV2

judge = Judge()
keys = judge.credentials
SmartConnect._rootUrl = judge.api
api = SmartConnect(api_key=keys['API_KEY'], root=judge.api)


def ok(answer):
    assert answer and answer.get('status') is True, answer
    return answer['data']


session = judge.cell(
    'sign-in', lambda: ok(api.generateSession(keys['CLIENT_ID'], keys['PIN'], pyotp.TOTP(keys['TOTP_SECRET']).now()))
)
judge.cell('profile', lambda: has(ok(api.getProfile(session['refreshToken'])), keys['CLIENT_ID'], 'exchanges'))
judge.cell('funds', lambda: has(ok(api.rmsLimit()), 'availablecash', 'net'))
judge.cell('holdings', lambda: has(ok(api.holding()), 'averageprice', 'isin') and has(ok(api.allholding()), 'totalholding'))

prices, updates = Heard(), Heard()
tokens = (session['jwtToken'], keys['API_KEY'], keys['CLIENT_ID'], api.getfeedToken())
SmartWebSocketV2.ROOT_URI = judge.feed
SmartWebSocketOrderUpdate.WEBSOCKET_URI = judge.socket_origin + '/smart-order-update'
stream = SmartWebSocketV2(*tokens, max_retry_attempt=0)
stream.on_open = lambda _: stream.subscribe('judge', SmartWebSocketV2.SNAP_QUOTE, [{'exchangeType': 1, 'tokens': [str(TOKEN)]}])
stream.on_data = lambda _, told: prices.tell(told)
stream.on_error = lambda *told: prices.tell(told)
in_background(stream.connect)


def book(tick):
    bids, asks = ([level['price'] for level in tick[side]] for side in ('best_5_buy_data', 'best_5_sell_data'))
    return [price / 100 for price in (*reversed(bids), tick['last_traded_price'], *asks)]


judge.cell('price feed', lambda: prices.priced(book))
news = SmartWebSocketOrderUpdate(*tokens)
news.on_message = lambda _, told: updates.tell(told)
in_background(news.connect)

ORDER = {
    'variety': 'NORMAL',
    'tradingsymbol': f'{SYMBOL}-EQ',
    'symboltoken': str(TOKEN),
    'exchange': 'NSE',
    'producttype': 'INTRADAY',
    'duration': 'DAY',
    'quantity': str(QUANTITY),
}
LIMIT = {'ordertype': 'LIMIT', 'price': str(PRICE)}
KINDS = {'LIMIT': LIMIT, 'MARKET': {'ordertype': 'MARKET', 'price': '0'}}
details = {}


def place(kind):
    placed = ok(api.placeOrderFullResponse({**ORDER, **KINDS[kind], 'transactiontype': 'BUY', 'squareoff': '0', 'stoploss': '0'}))
    details[placed['orderid']] = placed['uniqueorderid']
    return placed['orderid']


def rows(orders):
    return [(each['orderid'], each['quantity'], each['price'], each['status']) for each in orders or []]


def margin():
    words = {'exchange': 'NSE', 'productType': 'INTRADAY', 'tradeType': 'BUY', 'orderType': 'LIMIT'}
    return ok(api.getMarginApi({'positions': [{**words, 'qty': QUANTITY, 'price': PRICE, 'token': str(TOKEN)}]}))['totalMarginRequired']


judge.orders(
    margin=margin,
    place=place,
    modify=lambda order: ok(
        api.modifyOrder({**ORDER, 'orderid': order, 'ordertype': 'LIMIT', 'price': str(NEW_PRICE), 'quantity': str(NEW_QUANTITY)})
    ),
    cancel=lambda order: ok(api.cancelOrder(order, 'NORMAL')),
    book=lambda: rows(ok(api.orderBook())),
    trades=lambda: [each['orderid'] for each in ok(api.tradeBook()) or []],
    positions=lambda: ok(api.position()),
    history=lambda order: rows([ok(api.individual_order_details(details[order]))]),
    updates=updates,
)
judge.done()
