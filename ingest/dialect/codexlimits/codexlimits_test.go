package codexlimits

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/valyala/fastjson"
	"go.uber.org/goleak"

	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func num(n float64) *float64 { return &n }

// TestRead reads snapshots that arrived at 2026-01-01T00:00:10.5Z, which is 1767225610.5 s since 1970.
func TestRead(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []schema.Limit
	}{
		{"of a file", `{"limit_id":"codex","plan_type":"plus","rate_limit_reached_type":"primary",
			"primary":{"used_percent":12.5,"window_minutes":300,"resets_at":1767240000},
			"secondary":{"used_percent":80,"window_minutes":10080,"resets_at":1767744000}}`, []schema.Limit{
			{Name: "primary", Plan: "plus", Status: "primary", Window: 18_000, UsedPercent: num(12.5), ResetsAt: 1_767_240_000},
			{Name: "secondary", Plan: "plus", Status: "primary", Window: 604_800, UsedPercent: num(80), ResetsAt: 1_767_744_000},
		}},
		{"of the protocol", `{"limitId":"codex","planType":"pro","rateLimitReachedType":null,
			"primary":{"usedPercent":3,"windowDurationMins":300,"resetsAt":1767240000},"secondary":null,
			"individualLimit":{"used":"25","limit":"100","remainingPercent":75,"resetsAt":1769904000},
			"credits":{"hasCredits":true,"unlimited":false,"balance":"12.50"}}`, []schema.Limit{
			{Name: "primary", Plan: "pro", Window: 18_000, UsedPercent: num(3), ResetsAt: 1_767_240_000},
			{Name: "individual_limit", Plan: "pro", Used: num(25), Max: num(100), UsedPercent: num(25), ResetsAt: 1_769_904_000},
			{Name: "credits", Plan: "pro", Balance: "12.50"},
		}},
		{"a spending limit of a file", `{"individual_limit":{"used":1.5,"limit":2,"remaining_percent":25,"resets_at":1769904000}}`, []schema.Limit{
			{Name: "individual_limit", Used: num(1.5), Max: num(2), UsedPercent: num(75), ResetsAt: 1_769_904_000},
		}},
		{"of single models", `{"limit_id":"codex_small","primary":{"used_percent":1},"credits":{"unlimited":true}}`, []schema.Limit{
			{Name: "codex_small/primary", UsedPercent: num(1)},
			{Name: "codex_small/credits", Unlimited: true},
		}},
		{"a reset as a text", `{"primary":{"used_percent":1,"reset_at":"2026-01-01T04:00:00Z"}}`, []schema.Limit{
			{Name: "primary", UsedPercent: num(1), ResetsAt: 1_767_240_000},
		}},
		{"a reset from the frame's time on", `{"primary":{"used_percent":1,"resets_in_seconds":90}}`, []schema.Limit{
			{Name: "primary", UsedPercent: num(1), ResetsAt: 1_767_225_700},
		}},
		{"a time decides over a duration", `{"primary":{"resets_at":1767240000,"resets_in_seconds":90}}`, []schema.Limit{
			{Name: "primary", ResetsAt: 1_767_240_000},
		}},
		{"no credits", `{"plan_type":"free","credits":{"has_credits":false,"unlimited":false,"balance":null}}`, []schema.Limit{
			{Name: "credits", Plan: "free", Status: "no_credits"},
		}},
		{"credits without an end", `{"credits":{"has_credits":false,"unlimited":true}}`, []schema.Limit{{Name: "credits", Unlimited: true}}},
		{"what is unknown", `{"primary":{"used_percent":null,"window_minutes":-5,"resets_at":null,"resets_in_seconds":-1}}`, []schema.Limit{
			{Name: "primary"}, // the emitter leaves out a limit that states nothing
		}},
		{"a window beyond all bounds", `{"primary":{"used_percent":1,"window_minutes":900000000000000}}`, []schema.Limit{
			{Name: "primary", UsedPercent: num(1)},
		}},
		{"other types", `{"limit_id":7,"plan_type":{},"primary":[],"secondary":"none","individual_limit":3,"credits":true}`, nil},
		{"members of other types", `{"primary":{"used_percent":[],"window_minutes":{},"resets_at":true}}`, []schema.Limit{{Name: "primary"}}},
		{"nothing", `{}`, nil},
		{"null", `null`, nil},
		{"a list", `[{"primary":{"used_percent":1}}]`, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []schema.Limit
			Read(fastjson.MustParse(tc.text), 1_767_225_610_500_000_000, func(l schema.Limit) { got = append(got, l) })
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	Read(nil, 0, func(l schema.Limit) { t.Errorf("a missing snapshot has the limit %+v", l) })
}
