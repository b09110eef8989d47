package usagereport

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"tapedeck/query/pricing/cost"
)

// WriteJSON writes the report as JSON.
func (u *Report) WriteJSON(w io.Writer) error { return u.write(w, newObject) }

// object writes a report as one JSON object. Rows are written without reflection, since encoding
// them is most of the work of a long report.
type object struct {
	w      io.Writer
	report *Report
	groups []string // sorted
	line   []byte
	rows   int
}

func newObject(w io.Writer, u *Report) (writer, error) {
	o := &object{w: w, report: u, groups: slices.Sorted(slices.Values(u.GroupBy))}
	head, _, err := o.frame()
	if err == nil {
		_, err = w.Write(head)
	}
	return o, err
}

// frame returns the JSON before and after the rows.
func (o *object) frame() (head, tail []byte, err error) {
	frame := *o.report
	frame.Items = []Row{}
	text, err := json.Marshal(&frame)
	const items = `,"items":[` // cannot occur within a string, in which quotes are escaped
	head, tail, _ = bytes.Cut(text, []byte(items))
	return append(slices.Clone(head), items...), append(tail, '\n'), err
}

func (o *object) row(row *Row) (err error) {
	o.line = o.line[:0]
	if o.rows > 0 {
		o.line = append(o.line, ',')
	}
	o.rows++
	if o.line, err = row.appendJSON(o.line, o.groups); err == nil {
		_, err = o.w.Write(o.line)
	}
	return err
}

func (o *object) end() error {
	_, tail, err := o.frame()
	if err == nil {
		_, err = o.w.Write(tail)
	}
	return err
}

// MarshalJSON returns the row in the form of the API.
func (u Row) MarshalJSON() ([]byte, error) {
	return u.appendJSON(nil, slices.Sorted(maps.Keys(u.Group)))
}

// appendJSON appends the row with the values of groups, which are sorted, and its own fields.
func (u *Row) appendJSON(out []byte, groups []string) ([]byte, error) {
	out = appendText(append(out, `{"period":`...), u.Name)
	out = appendTime(append(out, `,"period_start":`...), u.Start)
	out = appendTime(append(out, `,"period_end":`...), u.End)
	out = strconv.AppendInt(append(out, `,"other_groups":`...), int64(u.OtherGroups), 10)
	out, err := u.Figures.appendJSON(append(out, ','))
	for i, name := range groups {
		if i > 0 && groups[i-1] == name {
			continue
		}
		out = append(appendQuoted(append(out, ','), name), ':')
		out = appendText(out, u.Group[name])
	}
	return append(out, '}'), err
}

// appendJSON appends the fields of the figures, without braces.
func (f *Figures) appendJSON(out []byte) (_ []byte, err error) {
	out = strconv.AppendUint(append(out, `"calls":`...), f.Calls, 10)
	out = appendTokens(append(out, `,"tokens":`...), &f.Tokens)
	out = appendMoney(append(out, `,"cost":`...), f.Cost)
	out = strconv.AppendUint(append(out, `,"unpriced_calls":`...), f.UnpricedCalls, 10)
	out = strconv.AppendInt(append(out, `,"unpriced_tokens":`...), f.UnpricedTokens, 10)
	if out, err = appendReasons(out, "unpriced_reasons", f.Unpriced); err != nil {
		return out, err
	}
	if len(f.Inexact) > 0 {
		if out, err = appendAny(append(out, `,"priced_as":`...), f.Inexact); err != nil {
			return out, err
		}
	}
	out = strconv.AppendUint(append(out, `,"usage_discrepancies":`...), f.Discrepancies, 10)
	out = appendMoney(append(out, `,"repriced_cost":`...), f.Repriced)
	out = strconv.AppendUint(append(out, `,"repriced_unpriced_calls":`...), f.RepricedUnpriced, 10)
	if out, err = appendReasons(out, "repriced_unpriced_reasons", f.RepricedReasons); err != nil {
		return out, err
	}
	out = appendMoney(append(out, `,"what_if_cost":`...), f.WhatIf)
	out = strconv.AppendUint(append(out, `,"what_if_unpriced_calls":`...), f.WhatIfUnpriced, 10)
	if out, err = appendReasons(out, "what_if_unpriced_reasons", f.WhatIfReasons); err != nil {
		return out, err
	}
	out = append(out, `,"stated_costs":`...)
	if f.Stated != nil && len(f.Stated) == 0 {
		out = append(out, `[]`...)
	} else if out, err = appendAny(out, f.Stated); err != nil {
		return out, err
	}
	if f.PlanCost != nil {
		out = appendMoney(append(out, `,"plan_cost":`...), f.PlanCost)
	}
	if f.Findings == nil {
		return out, nil
	}
	return appendAny(append(out, `,"findings":`...), f.Findings)
}

func appendReasons(out []byte, name string, list []cost.Unpriced) ([]byte, error) {
	if len(list) == 0 {
		return out, nil
	}
	return appendAny(append(append(append(out, `,"`...), name...), `":`...), list)
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

func appendMoney(out []byte, m *cost.Money) []byte {
	if m == nil {
		return append(out, `null`...)
	}
	out = append(append(out, `{"amount":"`...), m.Amount.String()...)
	return append(appendQuoted(append(out, `","currency":`...), m.Currency), '}')
}

func appendTime(out []byte, t *time.Time) []byte {
	if t == nil {
		return append(out, `null`...)
	}
	return append(t.AppendFormat(append(out, '"'), time.RFC3339Nano), '"')
}

func appendText(out []byte, text *string) []byte {
	if text == nil {
		return append(out, `null`...)
	}
	return appendQuoted(out, *text)
}

// appendQuoted appends a text like encoding/json. Most texts need no escapes.
func appendQuoted(out []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(text) // a text can always be encoded
			return append(out, quoted...)
		}
	}
	return append(append(append(out, '"'), text...), '"')
}

func appendAny(out []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	return append(out, text...), err
}
