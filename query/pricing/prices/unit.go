package prices

import (
	"slices"
	"strings"
)

// Unit is a quantity for which a provider charges.
type Unit struct {
	Name     string // name of the quantity, such as "cache_read_tokens"
	PriceKey string // key of its price in a table, such as "cache_read_mtok"
	Per      int64  // number of units that a price is for
	// dims are the properties of the counted quantity. A unit with more properties counts a part of
	// the quantity of a unit with a subset of them.
	dims dims
}

// dims are properties of a unit; "" if the unit lacks the property.
type dims struct {
	family, direction, modality, kind, ttl string
}

// within reports whether d has every property of outer, so that the unit of d counts a part of the
// quantity of the unit of outer.
func (d dims) within(outer dims) bool {
	same := func(own, outer string) bool { return outer == "" || own == outer }
	return same(d.family, outer.family) && same(d.direction, outer.direction) && same(d.modality, outer.modality) &&
		same(d.kind, outer.kind) && same(d.ttl, outer.ttl)
}

// count returns the number of properties that are set.
func (d dims) count() (n int) {
	for _, p := range []string{d.family, d.direction, d.modality, d.kind, d.ttl} {
		if p != "" {
			n++
		}
	}
	return n
}

// Names of the units of recorded usage.
const (
	InputTokens        = "input_tokens" // including cache tokens
	InputTextTokens    = "input_text_tokens"
	InputAudioTokens   = "input_audio_tokens"
	InputImageTokens   = "input_image_tokens"
	InputVideoTokens   = "input_video_tokens"
	CacheReadTokens    = "cache_read_tokens"
	CacheAudioRead     = "cache_audio_read_tokens"
	CacheImageRead     = "cache_image_read_tokens"
	CacheVideoRead     = "cache_video_read_tokens"
	CacheWriteTokens   = "cache_write_tokens"
	CacheWrite5mTokens = "cache_write_5m_tokens"
	CacheWrite1hTokens = "cache_write_1h_tokens"
	OutputTokens       = "output_tokens" // including reasoning tokens
	OutputTextTokens   = "output_text_tokens"
	OutputAudioTokens  = "output_audio_tokens"
	OutputImageTokens  = "output_image_tokens"
	OutputVideoTokens  = "output_video_tokens"
	ReasoningTokens    = "output_reasoning_tokens"
	WebSearches        = "web_searches"
	CodeExecutions     = "code_executions"
	Requests           = "requests" // one for each call
)

// Units lists all units, the most specific first.
var Units = allUnits()

var unitsByName, unitsByPriceKey = index(Units)

// UnitNamed returns the unit with the given name.
func UnitNamed(name string) (Unit, bool) {
	u, ok := unitsByName[name]
	return u, ok
}

func index(units []Unit) (byName, byPriceKey map[string]Unit) {
	byName, byPriceKey = make(map[string]Unit, len(units)), make(map[string]Unit, len(units))
	for _, u := range units {
		byName[u.Name], byPriceKey[u.PriceKey] = u, u
	}
	return byName, byPriceKey
}

// allUnits returns all units. Units of tokens exist for every combination of modality and kind.
func allUnits() []Unit {
	var units []Unit
	for _, modality := range []string{"", "text", "audio", "image", "video"} {
		in := func(kind, ttl string, parts ...string) {
			units = append(units, tokens(parts, dims{"tokens", "input", modality, kind, ttl}))
		}
		in("", "", "input", modality)
		in("tool", "", "input", modality, "tool")
		in("cache_read", "", "cache", modality, "read")
		in("cache_write", "", "cache", modality, "write")
		in("cache_write", "5m", "cache", modality, "write", "5m")
		in("cache_write", "1h", "cache", modality, "write", "1h")
		for _, kind := range []string{"", "reasoning", "citation"} {
			units = append(units,
				tokens([]string{"output", modality, kind}, dims{"tokens", "output", modality, kind, ""}))
		}
	}
	const thousand, million, billion, hour = 1e3, 1e6, 1e9, 3600
	units = append(units,
		Unit{"audio_seconds", "audio_hours", hour, dims{family: "durations", modality: "audio"}},
		Unit{"input_audio_seconds", "input_audio_hours", hour,
			dims{family: "durations", direction: "input", modality: "audio"}},
		Unit{"output_audio_seconds", "output_audio_hours", hour,
			dims{family: "durations", direction: "output", modality: "audio"}},
		Unit{"input_characters", "input_mchars", million, dims{family: "characters", direction: "input"}},
		Unit{"input_pixels", "input_gpixels", billion, dims{family: "pixels", direction: "input"}},
		Unit{"input_document_pages", "input_document_kpages", thousand, dims{family: "pages", direction: "input"}},
		Unit{"input_annotated_document_pages", "input_annotated_document_kpages", thousand,
			dims{family: "pages", direction: "input", kind: "annotated"}},
		Unit{"input_text_messages", "input_text_messages_kcount", thousand,
			dims{family: "messages", direction: "input", modality: "text"}},
		Unit{Requests, "requests_kcount", thousand, dims{family: "requests"}},
		Unit{"rerank_searches", "rerank_searches_kcount", thousand, dims{family: "rerank"}},
		Unit{WebSearches, "web_searches_kcount", thousand, dims{family: "tools", kind: "web_search"}},
		Unit{"social_searches", "social_searches_kcount", thousand, dims{family: "tools", kind: "social_search"}},
		Unit{"storage_searches", "storage_searches_kcount", thousand, dims{family: "tools", kind: "storage_search"}},
		Unit{CodeExecutions, "code_executions_kcount", thousand, dims{family: "tools", kind: "code_execution"}},
	)
	slices.SortStableFunc(units, func(a, b Unit) int { return b.dims.count() - a.dims.count() })
	return units
}

// tokens returns the unit of tokens whose name is the non-empty parts.
func tokens(parts []string, d dims) Unit {
	parts = slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return part == "" })
	name := strings.Join(parts, "_")
	return Unit{Name: name + "_tokens", PriceKey: name + "_mtok", Per: 1e6, dims: d}
}
