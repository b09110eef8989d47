package schema

import "strings"

// Billing holds what the price of a usage depends on besides its model, provider and
// tokens, as the source states it. What the source does not state is empty.
type Billing struct {
	// RequestedModel is the model that the request names. Usage.Model is the model that served it.
	// If the source states only one of them, both fields hold it.
	RequestedModel string
	// ServiceTier is the tier that served the request: standard, priority, flex, batch, or another
	// as the source names it. The tier that a request asks for is not kept. For a call that the
	// provider refused before any output, it is the result of RefusedTier.
	ServiceTier string
	Speed       string // such as fast
	Region      string // where the model ran
	// Cost is the cost that the source states for the usage, a decimal number, and Currency its
	// currency, an ISO 4217 code. A stated 0 beside tokens is dropped, see StateCost.
	Cost     string
	Currency string
	// RequestID and MessageID are the provider's ids of the request and of the response or
	// message that the usage belongs to.
	RequestID string
	MessageID string

	Parts TokenParts
	Tools ToolUses
}

// RefusedTier returns the service tier of a call that the provider refused before any output, which
// has a price of its own: "refused:CATEGORY", after the tier that served the call, unless that is
// the standard tier. The category is "none" if the provider states none.
func RefusedTier(tier, category string) string {
	if category == "" {
		category = "none"
	}
	if tier = ServedTier(tier); tier == "" || tier == "standard" {
		return refused + category
	}
	return tier + " " + refused + category
}

// ServedTier returns a service tier without what RefusedTier adds.
func ServedTier(tier string) string {
	i := strings.LastIndexByte(tier, ' ')
	if !strings.HasPrefix(tier[i+1:], refused) {
		return tier
	}
	return tier[:max(i, 0)]
}

const refused = "refused:"

// TokenParts counts, by modality, tokens that the buckets of Tokens contain. They are
// never added to a sum. A modality that the source does not state is 0.
type TokenParts struct {
	Input     Modalities // part of Tokens.Input
	CacheRead Modalities // part of Tokens.CacheRead
	Output    Modalities // part of Tokens.Output
}

// Modalities counts tokens by the kind of content that they encode.
type Modalities struct{ Text, Audio, Image, Video uint64 }

// Subtract subtracts the counts of a part. It ignores a count that is greater than the count of the
// whole, since such a count is not a part of it.
func (m *Modalities) Subtract(part Modalities) {
	for _, count := range [...]struct {
		whole *uint64
		part  uint64
	}{{&m.Text, part.Text}, {&m.Audio, part.Audio}, {&m.Image, part.Image}, {&m.Video, part.Video}} {
		if count.part <= *count.whole {
			*count.whole -= count.part
		}
	}
}

// Limit bounds each count by the count of all tokens.
func (m *Modalities) Limit(all uint64) {
	m.Text, m.Audio, m.Image, m.Video = min(m.Text, all), min(m.Audio, all), min(m.Image, all), min(m.Video, all)
}

// ToolUses counts uses of tools that the provider runs and charges for.
type ToolUses struct{ WebSearches, WebFetches, CodeExecutions uint64 }

// BillingTexts and BillingCounts are the names of the fields of Billing, in their order in blocks.
// They are also the names of the columns.
var (
	BillingTexts = [...]string{
		"requested_model", "service_tier", "speed", "region", "stated_cost",
		"stated_currency", "request_id", "message_id",
	}
	BillingCounts = [...]string{
		"input_text", "input_audio", "input_image", "input_video",
		"cache_read_text", "cache_read_audio", "cache_read_image", "cache_read_video",
		"output_text", "output_audio", "output_image", "output_video",
		"web_searches", "web_fetches", "code_executions",
	}
)

// IsPlainText reports whether the column of a name in BillingTexts is a String, since nearly every
// row has a different value. The other columns are LowCardinality.
func IsPlainText(name string) bool {
	return name == "stated_cost" || name == "request_id" || name == "message_id"
}

// Texts returns pointers to the fields in the order of BillingTexts.
func (b *Billing) Texts() [len(BillingTexts)]*string {
	return [...]*string{
		&b.RequestedModel, &b.ServiceTier, &b.Speed, &b.Region, &b.Cost, &b.Currency, &b.RequestID, &b.MessageID,
	}
}

// Counts returns pointers to the fields in the order of BillingCounts.
func (b *Billing) Counts() [len(BillingCounts)]*uint64 {
	in, cached, out, tools := &b.Parts.Input, &b.Parts.CacheRead, &b.Parts.Output, &b.Tools
	return [...]*uint64{
		&in.Text, &in.Audio, &in.Image, &in.Video,
		&cached.Text, &cached.Audio, &cached.Image, &cached.Video,
		&out.Text, &out.Audio, &out.Image, &out.Video,
		&tools.WebSearches, &tools.WebFetches, &tools.CodeExecutions,
	}
}
