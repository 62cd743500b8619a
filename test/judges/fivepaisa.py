"""py5paisa: its routes are constants that the client's module copies; the socket's address is a member."""

import pyotp
import py5paisa.py5paisa as module
from judge import NEW_PRICE, NEW_QUANTITY, PRICE, PRICE_THAT_FILLS, QUANTITY, SYMBOL, TOKEN, Heard, Judge, has, in_background, until

judge = Judge()
keys = judge.credentials
base = module.BaseUrl
for name, value in list(vars(module).items()):
    if isinstance(value, str) and value.startswith(base):
        setattr(module, name, value.replace(base, judge.api + '/'))
same = {'APP_NAME': 'practice', 'APP_SOURCE': '0', 'PASSWORD': ''}
client = module.FivePaisaClient({**same, **{name: keys[name] for name in ('USER_ID', 'USER_KEY', 'ENCRYPTION_KEY')}})
client.WEBSOCKET_URL = judge.feed + '?Value1='


def sign_in():
    code = pyotp.TOTP(keys['TOTP_SECRET']).now()
    assert client.get_totp_session(keys['CLIENT_CODE'], code, keys['PIN']), 'no access token'


judge.cell('sign-in', sign_in)
judge.not_offered('profile')
judge.cell('funds', lambda: has(client.margin(), 'NetAvailableMargin'))
judge.cell('holdings', lambda: has(client.holdings(), 'AvgRate', SYMBOL))

prices = Heard()


def listen():
    share = {'Exch': 'N', 'ExchType': 'C', 'ScripCode': TOKEN}
    client.connect(client.Request_Feed('mf', 's', [share]))
    client.error_data(lambda _, error: prices.tell(repr(error)))
    client.receive_data(lambda _, told: prices.tell(*module.json.loads(told)))


in_background(listen)
judge.cell('price feed', lambda: prices.priced(lambda tick: [tick['BidRate'], tick['LastRate'], tick['OffRate']]))

names = {}


def order(price, name):
    scrip = {'Exchange': 'N', 'ExchangeType': 'C', 'ScripCode': TOKEN, 'RemoteOrderID': name}
    answer = client.place_order(OrderType='B', Qty=QUANTITY, Price=price, IsIntraday=True, StopLossPrice=0, **scrip)
    assert answer and answer['Status'] == 0, answer
    names[str(answer['BrokerOrderID'])] = name
    return answer['BrokerOrderID']


def place(kind):
    if kind == 'LIMIT':
        return order(PRICE, 'judge1')
    # 5paisa takes an order without a price and rejects it in the book.
    refused = str(order(0, 'judge2'))
    state = lambda: next(each['OrderStatus'] for each in client.order_book() if str(each['BrokerOrderId']) == refused)
    until(lambda: 'Rejected' in state(), 'the rejection', state)
    return order(PRICE_THAT_FILLS, 'judge3')


def named_by_exchange(order):
    return next(each['ExchOrderID'] for each in client.order_book() if str(each['BrokerOrderId']) == order)


def status(order):
    answer = client.fetch_order_status([{'Exch': 'N', 'RemoteOrderID': names[order]}])
    return [(order, each['OrderQty'], each['OrderRate'], each['Status']) for each in answer['OrdStatusResLst']]


def trades():
    traded = [each['ExchOrderID'] for each in client.get_tradebook().get('TradeBookDetail', [])]
    return [each['BrokerOrderId'] for each in client.order_book() if each['ExchOrderID'] in traded]


def margin():
    order = {'Exch': 'N', 'ExchType': 'C', 'ScripCode': TOKEN, 'ScripData': '', 'PlaceModifyCancel': 'P', 'OrderType': 'B'}
    asked = {**order, 'Price': PRICE, 'Qty': QUANTITY, 'IsIntraday': True}
    return client.multi_order_Margin(CoverPositions='N', Orders=[asked])['TotalMarginRequired']


judge.orders(
    margin=margin,
    place=place,
    modify=lambda order: client.modify_order(ExchOrderID=named_by_exchange(order), Price=NEW_PRICE, Qty=NEW_QUANTITY, StopLossPrice=0),
    cancel=lambda order: client.cancel_order(named_by_exchange(order)),
    book=lambda: [(each['BrokerOrderId'], each['Qty'], each['Rate'], each['OrderStatus']) for each in client.order_book()],
    trades=trades,
    positions=lambda: client.positions(),
    history=status,
)
judge.done()
