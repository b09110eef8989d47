package schema

// Billing holds what the price of a usage depends on besides its model, provider and
// tokens, as the source states it. What the source does not state is empty.
type Billing struct {
	// RequestedModel is the model that the request names. Usage.Model is the one that
	// served it; where the source states only one of them, both hold it.
	RequestedModel string
	// ServiceTier is the tier that served the request: standard, priority, flex, batch, or
	// another as the source names it. The tier that a request asks for is not kept.
	ServiceTier string
	Speed       string // such as fast
	Region      string // where the model ran
	// Cost is the cost that the source states for the usage, a decimal number, and Currency
	// its currency: an ISO 4217 code. A stated 0 beside tokens is not kept, see StateCost.
	Cost     string
	Currency string
	// RequestID and MessageID are the provider's ids of the request and of the response or
	// message that the usage belongs to.
	RequestID string
	MessageID string

	Parts TokenParts
	Tools ToolUses
}

// TokenParts counts, by modality, tokens that the buckets of Tokens contain. They are
// never added to a sum. A modality that the source does not state is 0.
type TokenParts struct {
	Input     Modalities // of Tokens.Input
	CacheRead Modalities // of Tokens.CacheRead
	Output    Modalities // of Tokens.Output
}

// Modalities counts tokens by what they encode.
type Modalities struct{ Text, Audio, Image, Video uint64 }

// Subtract takes the counts of a part away. A count that is greater than the whole is of no part
// of it, and takes nothing away.
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

// BillingTexts and BillingCounts name the fields of Billing in their order in blocks. The
// names are those of the columns.
var (
	BillingTexts = [...]string{
		"requested_model", "service_tier", "speed", "region", "stated_cost", "stated_currency", "request_id", "message_id",
	}
	BillingCounts = [...]string{
		"input_text", "input_audio", "input_image", "input_video",
		"cache_read_text", "cache_read_audio", "cache_read_image", "cache_read_video",
		"output_text", "output_audio", "output_image", "output_video",
		"web_searches", "web_fetches", "code_executions",
	}
)

// IsPlainText reports whether the column of a text that BillingTexts names is a String, since
// nearly every row has another. The other columns are LowCardinality.
func IsPlainText(name string) bool {
	return name == "stated_cost" || name == "request_id" || name == "message_id"
}

// Texts returns the fields that BillingTexts names.
func (b *Billing) Texts() [len(BillingTexts)]*string {
	return [...]*string{
		&b.RequestedModel, &b.ServiceTier, &b.Speed, &b.Region, &b.Cost, &b.Currency, &b.RequestID, &b.MessageID,
	}
}

// Counts returns the fields that BillingCounts names.
func (b *Billing) Counts() [len(BillingCounts)]*uint64 {
	in, cached, out, tools := &b.Parts.Input, &b.Parts.CacheRead, &b.Parts.Output, &b.Tools
	return [...]*uint64{
		&in.Text, &in.Audio, &in.Image, &in.Video,
		&cached.Text, &cached.Audio, &cached.Image, &cached.Video,
		&out.Text, &out.Audio, &out.Image, &out.Video,
		&tools.WebSearches, &tools.WebFetches, &tools.CodeExecutions,
	}
}
