import type {
  HoldingList as GivenHoldingList,
  HoldingRow as GivenHoldingRow,
  ModifyOrderRequest as GivenModifyOrderRequest,
  OrderList as GivenOrderList,
  OrderRow as GivenOrderRow,
  PlaceOrderRequest as GivenPlaceOrderRequest,
  PositionList as GivenPositionList,
  PositionRow as GivenPositionRow,
  TradeBook as GivenTradeBook,
  TradeRow as GivenTradeRow,
} from './generated/types.gen.ts';

export type Exchange = 'NSE' | 'BSE' | 'NFO' | 'BFO' | 'MCX' | 'CDS';
export type TransactionType = 'BUY' | 'SELL';
export type OrderType = 'MARKET' | 'LIMIT' | 'SL' | 'SL-M';
export type ProductType = 'INTRADAY' | 'DELIVERY' | 'CARRYFORWARD';
export type Variety = 'NORMAL' | 'STOPLOSS' | 'AMO';

/** The documented words of a member; an editor offers them, and any other text may stand there too. */
interface Words {
  exchange: Exchange;
  transaction_type: TransactionType;
  order_type: OrderType;
  product_type: ProductType;
  variety: Variety;
}
type Worded<Of> = {
  [Name in keyof Of]: Name extends keyof Words
    ? string extends Extract<Of[Name], string>
      ? Exclude<Of[Name], string> | Words[Name] | (string & Record<never, never>)
      : Of[Name]
    : Of[Name];
};

export type PlaceOrderRequest = Worded<GivenPlaceOrderRequest>;
export type ModifyOrderRequest = Worded<GivenModifyOrderRequest>;
/** The variety of a row is the broker's own word. */
export type OrderRow = Worded<Omit<GivenOrderRow, 'variety'>> & Pick<GivenOrderRow, 'variety'>;
export type PositionRow = Worded<GivenPositionRow>;
export type HoldingRow = Worded<GivenHoldingRow>;
export type TradeRow = Worded<GivenTradeRow>;

type Listing<Of, Row> = { [Name in keyof Of]: Name extends 'normalized' ? Row[] | Exclude<Of[Name], unknown[]> : Of[Name] };

export type OrderList = Listing<GivenOrderList, OrderRow>;
export type PositionList = Listing<GivenPositionList, PositionRow>;
export type HoldingList = Listing<GivenHoldingList, HoldingRow>;
export type TradeBook = Listing<GivenTradeBook, TradeRow>;
