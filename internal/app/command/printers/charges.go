package printers

import (
	"io"
	"time"

	"tapedeck/internal/console"
	"tapedeck/query/billing/charges"
)

// ChargeTable is a list of charges.
type ChargeTable struct {
	table            *console.Table
	repriced, whatIf bool
}

// NewChargeTable begins a list, with columns for the requested costs.
func NewChargeTable(out io.Writer, repriced, whatIf bool) *ChargeTable {
	heads := []string{"time", "session", "model", "input", "cache read", "cache write", "output", "reasoning", "cost"}
	if repriced {
		heads = append(heads, "repriced")
	}
	if whatIf {
		heads = append(heads, "what if")
	}
	return &ChargeTable{console.NewTable(out, append(heads, "stated", "charge")...), repriced, whatIf}
}

// Add adds a charge.
func (t *ChargeTable) Add(call *charges.Charge) {
	n := call.Tokens
	cells := []any{
		call.At.Local().Format(time.DateTime), console.Clip(call.SessionID, 40), console.Clip(orNone(call.Model), 40),
		console.Thousands(n.Input), console.Thousands(n.CacheRead), console.Thousands(n.CacheWrite5m + n.CacheWrite1h),
		console.Thousands(n.Output), console.Thousands(n.Reasoning),
	}
	cells = append(cells, knownCost(call.Cost, call.Unpriced))
	if t.repriced {
		cells = append(cells, knownCost(call.Repriced, call.RepricedUnpriced))
	}
	if t.whatIf {
		cells = append(cells, knownCost(call.WhatIf, call.WhatIfUnpriced))
	}
	t.table.Row(append(cells, knownMoney(call.Stated), call.ChargeID)...)
}

// Flush writes the list.
func (t *ChargeTable) Flush() error { return t.table.Flush() }
