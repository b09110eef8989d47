package charges

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
)

// The functions of this file write what encoding/json writes without HTML escapes, with less
// processor time.

// appendCharge appends a charge as JSON.
func appendCharge(out []byte, c *Charge) []byte {
	out = appendText(append(out, `{"charge_id":`...), c.ChargeID)
	out = append(c.At.AppendFormat(append(out, `,"at":"`...), time.RFC3339Nano), '"')
	out = appendText(append(out, `,"tenant":`...), c.Tenant)
	out = appendText(append(out, `,"session_id":`...), c.SessionID)
	out = appendText(append(out, `,"stream_id":`...), c.StreamID)
	out = appendText(append(out, `,"run_id":`...), c.RunID)
	out = appendText(append(out, `,"node_id":`...), c.NodeID)
	out = appendText(append(out, `,"span_id":`...), c.SpanID)
	out = appendText(append(out, `,"agent":`...), c.Agent)
	out = appendTags(append(out, `,"tags":`...), c.Tags)
	out = appendOptional(append(out, `,"provider":`...), c.Provider)
	out = appendOptional(append(out, `,"model":`...), c.Model)
	out = appendOptional(append(out, `,"requested_model":`...), c.RequestedModel)
	out = appendText(append(out, `,"service_tier":`...), c.ServiceTier)
	out = appendText(append(out, `,"speed":`...), c.Speed)
	out = appendText(append(out, `,"region":`...), c.Region)
	out = appendText(append(out, `,"dialect":`...), c.Dialect)
	out = appendText(append(out, `,"request_id":`...), c.RequestID)
	out = appendText(append(out, `,"message_id":`...), c.MessageID)
	out = appendText(append(out, `,"scope":`...), c.Scope)
	out = appendText(append(out, `,"mode":`...), c.Mode)
	out = strconv.AppendBool(append(out, `,"is_call":`...), c.IsCall)
	out = appendTokens(append(out, `,"tokens":`...), &c.Tokens)
	out = appendParts(append(out, `,"parts":`...), &c.Parts)
	out = strconv.AppendInt(append(out, `,"web_fetches":`...), c.WebFetches, 10)
	if out = append(out, `,"stated_total":`...); c.StatedTotal == nil {
		out = append(out, `null`...)
	} else {
		out = strconv.AppendUint(out, *c.StatedTotal, 10)
	}
	out = appendMoney(append(out, `,"stated_cost":`...), c.Stated)
	out = appendText(append(out, `,"prices_hash":`...), c.PricesHash)
	out = appendOptional(append(out, `,"price_provider":`...), c.PriceProvider)
	out = appendOptional(append(out, `,"price_model":`...), c.PriceModel)
	out = appendOptional(append(out, `,"priced_as":`...), c.PricedAs)
	out = appendTexts(append(out, `,"rules":`...), c.Rules)
	out = appendMoney(append(out, `,"cost":`...), c.Cost)
	out = appendMoney(append(out, `,"list_cost":`...), c.ListCost)
	out = appendMoney(append(out, `,"contracted_cost":`...), c.ContractedCost)
	out = appendLines(append(out, `,"lines":`...), c.Lines)
	out = appendReason(append(out, `,"unpriced_reason":`...), c.Unpriced)
	out = appendText(append(out, `,"unpriced_detail":`...), c.UnpricedDetail)
	out = appendMoney(append(out, `,"repriced_cost":`...), c.Repriced)
	out = appendReason(append(out, `,"repriced_unpriced_reason":`...), c.RepricedUnpriced)
	out = appendText(append(out, `,"repriced_unpriced_detail":`...), c.RepricedDetail)
	out = appendMoney(append(out, `,"what_if_cost":`...), c.WhatIf)
	out = appendReason(append(out, `,"what_if_unpriced_reason":`...), c.WhatIfUnpriced)
	out = appendText(append(out, `,"what_if_unpriced_detail":`...), c.WhatIfDetail)
	out = appendText(append(out, `,"position":`...), c.Position)
	return append(out, '}')
}

func appendTokens(out []byte, t *cost.Tokens) []byte {
	out = strconv.AppendInt(append(out, `{"input":`...), t.Input, 10)
	out = strconv.AppendInt(append(out, `,"cache_read":`...), t.CacheRead, 10)
	out = strconv.AppendInt(append(out, `,"cache_write_5m":`...), t.CacheWrite5m, 10)
	out = strconv.AppendInt(append(out, `,"cache_write_1h":`...), t.CacheWrite1h, 10)
	out = strconv.AppendInt(append(out, `,"output":`...), t.Output, 10)
	out = strconv.AppendInt(append(out, `,"reasoning":`...), t.Reasoning, 10)
	return append(strconv.AppendInt(append(out, `,"total":`...), t.Total, 10), '}')
}

func appendParts(out []byte, p *cost.Parts) []byte {
	out = strconv.AppendInt(append(out, `{"input_audio":`...), p.InputAudio, 10)
	out = strconv.AppendInt(append(out, `,"input_image":`...), p.InputImage, 10)
	out = strconv.AppendInt(append(out, `,"input_video":`...), p.InputVideo, 10)
	out = strconv.AppendInt(append(out, `,"cache_read_audio":`...), p.CacheReadAudio, 10)
	out = strconv.AppendInt(append(out, `,"cache_read_image":`...), p.CacheReadImage, 10)
	out = strconv.AppendInt(append(out, `,"cache_read_video":`...), p.CacheReadVideo, 10)
	out = strconv.AppendInt(append(out, `,"output_audio":`...), p.OutputAudio, 10)
	out = strconv.AppendInt(append(out, `,"output_image":`...), p.OutputImage, 10)
	out = strconv.AppendInt(append(out, `,"output_video":`...), p.OutputVideo, 10)
	out = strconv.AppendInt(append(out, `,"web_searches":`...), p.WebSearches, 10)
	return append(strconv.AppendInt(append(out, `,"code_executions":`...), p.CodeExecutions, 10), '}')
}

func appendLines(out []byte, lines []Line) []byte {
	if lines == nil {
		return append(out, `null`...)
	}
	out = append(out, '[')
	for i := range lines {
		l := &lines[i]
		if i > 0 {
			out = append(out, ',')
		}
		out = appendText(append(out, `{"unit":`...), l.Unit)
		out = appendDecimal(append(out, `,"quantity":"`...), l.Quantity)
		out = strconv.AppendInt(append(out, `","per":`...), l.Per, 10)
		out = appendDecimal(append(out, `,"price":"`...), l.Price)
		out = appendDecimal(append(out, `","cost":"`...), l.Cost)
		out = appendNullDecimal(append(out, `","list_price":`...), l.ListPrice)
		out = append(appendNullDecimal(append(out, `,"contracted_price":`...), l.ContractedPrice), '}')
	}
	return append(out, ']')
}

func appendNullDecimal(out []byte, d decimal.NullDecimal) []byte {
	if !d.Valid {
		return append(out, `null`...)
	}
	return append(appendDecimal(append(out, '"'), d.Decimal), '"')
}

func appendMoney(out []byte, m *cost.Money) []byte {
	if m == nil {
		return append(out, `null`...)
	}
	out = appendDecimal(append(out, `{"amount":"`...), m.Amount)
	return append(appendText(append(out, `","currency":`...), m.Currency), '}')
}

func appendReason(out []byte, r *prices.Reason) []byte {
	if r == nil {
		return append(out, `null`...)
	}
	return appendText(out, string(*r))
}

func appendOptional(out []byte, text *string) []byte {
	if text == nil {
		return append(out, `null`...)
	}
	return appendText(out, *text)
}

func appendTexts(out []byte, texts []string) []byte {
	if texts == nil {
		return append(out, `null`...)
	}
	out = append(out, '[')
	for i, text := range texts {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendText(out, text)
	}
	return append(out, ']')
}

// appendTags appends tags in the order of their names.
func appendTags(out []byte, tags map[string]string) []byte {
	if tags == nil {
		return append(out, `null`...)
	}
	var few [16]string
	names := few[:0]
	for name := range tags {
		names = append(names, name)
	}
	slices.Sort(names)
	out = append(out, '{')
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendText(out, name), ':')
		out = appendText(out, tags[name])
	}
	return append(out, '}')
}

// appendText appends a text as JSON. Most texts need no escapes.
func appendText(out []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return appendEscaped(out, text)
		}
	}
	return append(append(append(out, '"'), text...), '"')
}

func appendEscaped(out []byte, text string) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text can always be encoded
	return append(out, strings.TrimSuffix(b.String(), "\n")...)
}

// appendDecimal appends a number as Decimal.String returns it. Most coefficients have 18 digits or
// fewer.
func appendDecimal(out []byte, d decimal.Decimal) []byte {
	const zeros = "00000000000000000000"
	places := -int(d.Exponent())
	if places < 0 || places > len(zeros) || d.NumDigits() > 18 {
		return append(out, d.String()...)
	}
	n := d.CoefficientInt64()
	if n < 0 {
		out, n = append(out, '-'), -n
	}
	for places > 0 && n%10 == 0 {
		n, places = n/10, places-1
	}
	var text [20]byte
	digits := strconv.AppendInt(text[:0], n, 10)
	if places == 0 {
		return append(out, digits...)
	}
	if whole := len(digits) - places; whole > 0 {
		out = append(append(out, digits[:whole]...), '.')
		return append(out, digits[whole:]...)
	}
	out = append(append(out, "0."...), zeros[:places-len(digits)]...)
	return append(out, digits...)
}
