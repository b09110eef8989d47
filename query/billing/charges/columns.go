package charges

import (
	"cmp"
	"reflect"
	"strings"

	"tapedeck/query"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
)

// columns is a charge as a row of CSV or Parquet, which have the same columns. Costs and prices are
// decimal numbers as text, so that no digit is lost. Lines, tags and rules are JSON text. Unknown
// values are null in Parquet and empty in CSV.
type columns struct {
	ChargeID       string `parquet:"charge_id"`
	At             int64  `parquet:"at,delta,timestamp(nanosecond)"`
	Tenant         string `parquet:"tenant,dict"`
	SessionID      string `parquet:"session_id,dict"`
	StreamID       string `parquet:"stream_id,dict"`
	RunID          string `parquet:"run_id,dict"`
	NodeID         string `parquet:"node_id,dict"`
	SpanID         string `parquet:"span_id"`
	Agent          string `parquet:"agent,dict"`
	Tags           string `parquet:"tags,dict"`
	Provider       string `parquet:"provider,optional,dict"`
	Model          string `parquet:"model,optional,dict"`
	RequestedModel string `parquet:"requested_model,optional,dict"`
	ServiceTier    string `parquet:"service_tier,dict"`
	Speed          string `parquet:"speed,dict"`
	Region         string `parquet:"region,dict"`
	Dialect        string `parquet:"dialect,dict"`
	RequestID      string `parquet:"request_id"`
	MessageID      string `parquet:"message_id"`
	Scope          string `parquet:"scope"`
	Mode           string `parquet:"mode,dict"`
	IsCall         bool   `parquet:"is_call"`
	Input          int64  `parquet:"input"`
	CacheRead      int64  `parquet:"cache_read"`
	CacheWrite5m   int64  `parquet:"cache_write_5m"`
	CacheWrite1h   int64  `parquet:"cache_write_1h"`
	Output         int64  `parquet:"output"`
	Reasoning      int64  `parquet:"reasoning"`
	Total          int64  `parquet:"total"`
	InputAudio     int64  `parquet:"input_audio"`
	InputImage     int64  `parquet:"input_image"`
	InputVideo     int64  `parquet:"input_video"`
	CacheReadAudio int64  `parquet:"cache_read_audio"`
	CacheReadImage int64  `parquet:"cache_read_image"`
	CacheReadVideo int64  `parquet:"cache_read_video"`
	OutputAudio    int64  `parquet:"output_audio"`
	OutputImage    int64  `parquet:"output_image"`
	OutputVideo    int64  `parquet:"output_video"`
	WebSearches    int64  `parquet:"web_searches"`
	WebFetches     int64  `parquet:"web_fetches"`
	CodeExecutions int64  `parquet:"code_executions"`
	StatedTotal    *int64 `parquet:"stated_total,optional"`
	StatedCost     string `parquet:"stated_cost,optional"`
	StatedCurrency string `parquet:"stated_currency,optional,dict"`
	PricesHash     string `parquet:"prices_hash,dict"`
	PriceProvider  string `parquet:"price_provider,optional,dict"`
	PriceModel     string `parquet:"price_model,optional,dict"`
	PricedAs       string `parquet:"priced_as,optional,dict"`
	Rules          string `parquet:"rules,dict"`
	Cost           string `parquet:"cost,optional"`
	ListCost       string `parquet:"list_cost,optional"`
	ContractedCost string `parquet:"contracted_cost,optional"`
	RepricedCost   string `parquet:"repriced_cost,optional"`
	WhatIfCost     string `parquet:"what_if_cost,optional"`
	Currency       string `parquet:"currency,dict"` // of all costs except StatedCost, RepricedCost and WhatIfCost
	// OtherCurrency is the currency of RepricedCost and WhatIfCost.
	OtherCurrency  string `parquet:"repriced_currency,optional,dict"`
	Lines          string `parquet:"lines"`
	UnpricedReason string `parquet:"unpriced_reason,optional,dict"`
	UnpricedDetail string `parquet:"unpriced_detail,dict"`
	// RepricedReason and the fields below it say why RepricedCost and WhatIfCost are unknown.
	RepricedReason string `parquet:"repriced_unpriced_reason,optional,dict"`
	RepricedDetail string `parquet:"repriced_unpriced_detail,dict"`
	WhatIfReason   string `parquet:"what_if_unpriced_reason,optional,dict"`
	WhatIfDetail   string `parquet:"what_if_unpriced_detail,dict"`
	Position       string `parquet:"position"`
}

// set sets the columns from a charge, whose costs are in the given currency.
func (r *columns) set(c *Charge, currency string) {
	t, parts := &c.Tokens, &c.Parts
	*r = columns{
		ChargeID: c.ChargeID, At: c.At.UnixNano(), Tenant: c.Tenant, SessionID: c.SessionID, StreamID: c.StreamID,
		RunID: c.RunID, NodeID: c.NodeID, SpanID: c.SpanID, Agent: c.Agent,
		Provider: query.Text(c.Provider), Model: query.Text(c.Model), RequestedModel: query.Text(c.RequestedModel),
		ServiceTier: c.ServiceTier, Speed: c.Speed, Region: c.Region, Dialect: c.Dialect,
		RequestID: c.RequestID, MessageID: c.MessageID, Scope: c.Scope, Mode: c.Mode, IsCall: c.IsCall,
		Input: t.Input, CacheRead: t.CacheRead, CacheWrite5m: t.CacheWrite5m, CacheWrite1h: t.CacheWrite1h,
		Output: t.Output, Reasoning: t.Reasoning, Total: t.Total,
		InputAudio: parts.InputAudio, InputImage: parts.InputImage, InputVideo: parts.InputVideo,
		CacheReadAudio: parts.CacheReadAudio, CacheReadImage: parts.CacheReadImage,
		CacheReadVideo: parts.CacheReadVideo,
		OutputAudio:    parts.OutputAudio, OutputImage: parts.OutputImage, OutputVideo: parts.OutputVideo,
		WebSearches: parts.WebSearches, WebFetches: c.WebFetches, CodeExecutions: parts.CodeExecutions,
		StatedCost: c.Stated.Text(), StatedCurrency: currencyOf(c.Stated),
		PricesHash: c.PricesHash, PriceProvider: query.Text(c.PriceProvider), PriceModel: query.Text(c.PriceModel),
		PricedAs: query.Text(c.PricedAs),
		Cost:     c.Cost.Text(), ListCost: c.ListCost.Text(), ContractedCost: c.ContractedCost.Text(),
		RepricedCost: c.Repriced.Text(), WhatIfCost: c.WhatIf.Text(), Currency: currency,
		OtherCurrency:  otherCurrency(c),
		UnpricedReason: reasonText(c.Unpriced), UnpricedDetail: c.UnpricedDetail,
		RepricedReason: reasonText(c.RepricedUnpriced), RepricedDetail: c.RepricedDetail,
		WhatIfReason: reasonText(c.WhatIfUnpriced), WhatIfDetail: c.WhatIfDetail, Position: c.Position,
	}
	if c.StatedTotal != nil {
		total := int64(*c.StatedTotal)
		r.StatedTotal = &total
	}
	r.Tags, r.Rules = string(appendTags(nil, c.Tags)), string(appendTexts(nil, c.Rules))
	r.Lines = string(appendLines(nil, c.Lines))
}

// columnNames are the names of the columns, in their order.
var columnNames = func() []string {
	t := reflect.TypeFor[columns]()
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("parquet"), ",")
	}
	return names
}()

func reasonText(r *prices.Reason) string {
	if r == nil {
		return ""
	}
	return string(*r)
}

func currencyOf(m *cost.Money) string {
	if m == nil {
		return ""
	}
	return m.Currency
}

// otherCurrency returns the currency of the costs at other prices, "" if there are none.
func otherCurrency(c *Charge) string { return currencyOf(cmp.Or(c.Repriced, c.WhatIf)) }
