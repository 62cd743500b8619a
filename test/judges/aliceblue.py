"""Ant-A3-tradehub (imported as TradeMaster): the base is an option, sockets are members; two calls hold theirs in the code."""

import json
from types import SimpleNamespace

from judge import NEW_PRICE, NEW_QUANTITY, PRICE, QUANTITY, SYMBOL, TOKEN, Heard, Judge, has, in_background, requests_go, signed_in_at
from TradeMaster import TradeSync

judge = Judge()
keys = judge.credentials
requests_go('https://a3.aliceblueonline.com', judge.origin)


def sign_in():
    sent = signed_in_at(f"{judge.login}?appcode={keys['APP_CODE']}")
    made = TradeSync.TradeHub(sent['userId'], sent['authCode'], keys['API_SECRET'], base_url=judge.api + '/')
    has(made.get_session_id(), 'userSession')
    return made


hub = judge.cell('sign-in', sign_in)


def ok(answer):
    assert answer and answer.get('status') == 'Ok', answer
    return answer['result']


judge.cell('profile', lambda: has(ok(hub.get_profile()), 'clientId'))
judge.cell('funds', lambda: has(ok(hub.get_funds()), 'tradingLimit'))
judge.cell('holdings', lambda: has(ok(hub.get_holdings('CNC')), 'averageTradedPrice', 'isin'))

prices, updates = Heard(), Heard()
hub.websocket_url = judge.socket_origin + '/NorenWS/'
share = SimpleNamespace(exchange='NSE', token=TOKEN)
hub.start_websocket(
    socket_open_callback=lambda: hub.subscribe([share]),
    socket_error_callback=prices.tell,
    subscription_callback=prices.tell,
    run_in_background=True,
    market_depth=True,
)
judge.cell('price feed', lambda: prices.priced(lambda text: [json.loads(text)[name] for name in ('bp1', 'lp', 'sp1')]))
# It prints what it hears, and offers no other way to learn of it.
TradeSync.print = lambda *told: updates.tell(*told) if '"om"' in str(told[0]) else None
hub._wss_url = judge.socket_origin + '/open-api/order-notify/websocket'
in_background(hub.get_OrderFeed_websocket)

ORDER = {'orderComplexity': 'REGULAR', 'product': 'INTRADAY', 'validity': 'DAY', 'instrumentId': str(TOKEN), 'exchange': 'NSE'}
LEGS = {'slTriggerPrice': '', 'slLegPrice': '', 'targetLegPrice': ''}


def place(kind):
    price = str(PRICE) if kind == 'LIMIT' else ''
    return ok(hub.placeOrder('BUY', QUANTITY, orderType=kind, price=price, **LEGS, **ORDER))[0]['brokerOrderId']


def rows(orders):
    return [(each['brokerOrderId'], each['quantity'], each['price'], each['orderStatus']) for each in orders]


def margin():
    words = {'transactionType': 'BUY', 'orderType': 'LIMIT', 'orderComplexity': 'REGULAR', 'product': 'INTRADAY', 'exchange': 'NSE'}
    rest = {'quantity': QUANTITY, 'price': str(PRICE), 'slTriggerPrice': '', 'slLegPrice': '', 'instrumentId': str(TOKEN)}
    return ok(hub.singleOrderMargin(**words, **rest))[0]['currentOrderMargin']


judge.orders(
    margin=margin,
    place=place,
    modify=lambda order: ok(
        hub.modifyOrder(order, str(NEW_PRICE), quantity=NEW_QUANTITY, orderType='LIMIT', validity='DAY', **LEGS)
    ),
    cancel=lambda order: ok(hub.cancelOrder(order)),
    book=lambda: rows(ok(hub.get_orderbook())),
    trades=lambda: [each['brokerOrderId'] for each in hub.get_tradebook().get('result') or []],
    positions=lambda: hub.get_positions(),
    history=lambda order: rows(ok(hub.get_orderHistory(order))),
    updates=updates,
)
judge.done()
