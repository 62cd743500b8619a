"""fyers-apiv3: addresses are constants of its classes; both sockets keep theirs private. Its log files go where it stands."""

from judge import NEW_PRICE, NEW_QUANTITY, PRICE, QUANTITY, SYMBOL, Heard, Judge, has, signed_in_at
from fyers_apiv3 import fyersModel
from fyers_apiv3.FyersWebsocket import data_ws, order_ws

judge = Judge()
keys = judge.credentials
fyersModel.Config.API = judge.origin + '/api/v3'
fyersModel.Config.DATA_API = judge.origin + '/data'
NAME = f'NSE:{SYMBOL}-EQ'


def ok(answer):
    assert answer.get('s') == 'ok', answer
    return answer


def sign_in():
    session = fyersModel.SessionModel(
        client_id=keys['APP_ID'],
        secret_key=keys['SECRET_KEY'],
        redirect_uri=keys['REDIRECT_URI'],
        response_type='code',
        grant_type='authorization_code',
        state='judge',
    )
    session.set_token(signed_in_at(session.generate_authcode())['auth_code'])
    return ok(session.generate_token())['access_token']


token = judge.cell('sign-in', sign_in)
fyers = fyersModel.FyersModel(client_id=keys['APP_ID'], token=token, is_async=False, log_path='')
judge.cell('profile', lambda: has(ok(fyers.get_profile())['data'], 'fy_id'))
judge.cell('funds', lambda: has(ok(fyers.funds())['fund_limit'], 'equityAmount', 'Available Balance'))
judge.cell('holdings', lambda: has(ok(fyers.holdings())['holdings'], 'costPrice', 'isin'))

prices, updates = Heard(), Heard()


class Symbols(data_ws.SymbolConversion):
    """Its address is set where it is made."""

    def __setattr__(self, name, value):
        super().__setattr__(name, judge.origin + '/data/symbol-token' if name == 'symbols_token_api' else value)


data_ws.SymbolConversion = Symbols
quotes = data_ws.FyersDataSocket(
    access_token=f"{keys['APP_ID']}:{token}",
    log_path='.',
    reconnect=False,
    on_connect=lambda: quotes.subscribe(symbols=[NAME], data_type='SymbolUpdate'),
    on_message=prices.tell,
    on_error=prices.tell,
)
quotes._FyersDataSocket__url = judge.socket_origin + '/hsm/v1-5/prod'
quotes.connect()
judge.cell('price feed', lambda: prices.priced(lambda tick: [tick['bid_price'], tick['ltp'], tick['ask_price']]))

account = order_ws.FyersOrderSocket(
    access_token=f"{keys['APP_ID']}:{token}",
    log_path='.',
    reconnect=False,
    on_connect=lambda: account.subscribe(data_type='OnOrders,OnTrades,OnPositions,OnGeneral'),
    on_orders=lambda told: updates.tell(told, 'cancelled' if told['orders']['status'] == 1 else ''),
    on_trades=updates.tell,
    on_error=updates.tell,
)
account._FyersOrderSocket__url = judge.socket_origin + '/trade/v3'
account.connect()

ORDER = {'symbol': NAME, 'qty': QUANTITY, 'side': 1, 'productType': 'INTRADAY', 'validity': 'DAY', 'disclosedQty': 0, 'offlineOrder': False}
KINDS = {'LIMIT': {'type': 1, 'limitPrice': PRICE, 'stopPrice': 0}, 'MARKET': {'type': 2, 'limitPrice': 0, 'stopPrice': 0}}


def rows(answer):
    return [(each['id'], each['qty'], each['limitPrice'], 'cancelled' if each['status'] == 1 else each['status']) for each in answer]


judge.orders(
    place=lambda kind: ok(fyers.place_order(data={**ORDER, **KINDS[kind]}))['id'],
    modify=lambda order: ok(fyers.modify_order(data={'id': order, 'type': 1, 'limitPrice': NEW_PRICE, 'qty': NEW_QUANTITY})),
    cancel=lambda order: ok(fyers.cancel_order(data={'id': order})),
    book=lambda: rows(ok(fyers.orderbook())['orderBook']),
    trades=lambda: [each['orderNumber'] for each in ok(fyers.tradebook())['tradeBook']],
    positions=lambda: ok(fyers.positions())['netPositions'],
    history=lambda order: rows(ok(fyers.orderbook(data={'id': order}))['orderBook']),
    updates=updates,
)
judge.done()
