package usagerecord

import (
	"fmt"

	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/pricing/cost"
)

// Billing holds the values on which the price of a record depends besides its model, provider and
// tokens, and the ids of the call at the provider. Values that the source does not state are null.
type Billing struct {
	RequestedModel *string `json:"requested_model"` // the model that the request names
	ServiceTier    *string `json:"service_tier"`    // the tier that served the call
	Speed          *string `json:"speed"`
	Region         *string `json:"region"`
	// StatedCost is the cost that the source states. It is never added to Record.Cost.
	StatedCost *cost.Money `json:"stated_cost"`
	RequestID  *string     `json:"request_id"` // the provider's
	MessageID  *string     `json:"message_id"`
	Parts      Parts       `json:"token_parts"`
	Tools      Tools       `json:"tool_uses"`
}

// Parts are tokens by modality, which the record's buckets include. A modality that the source does
// not state is 0.
type Parts struct {
	Input     Modalities `json:"input"`
	CacheRead Modalities `json:"cache_read"`
	Output    Modalities `json:"output"`
}

// Modalities are tokens by the kind of content that they encode.
type Modalities struct {
	Text  int64 `json:"text"`
	Audio int64 `json:"audio"`
	Image int64 `json:"image"`
	Video int64 `json:"video"`
}

// Tools counts uses of tools that the provider runs.
type Tools struct {
	WebSearches    int64 `json:"web_searches"`
	WebFetches     int64 `json:"web_fetches"`
	CodeExecutions int64 `json:"code_executions"`
}

type billingRow struct {
	RequestedModel string `ch:"requested_model"`
	ServiceTier    string `ch:"service_tier"`
	Speed          string `ch:"speed"`
	Region         string `ch:"region"`
	StatedCost     string `ch:"stated_cost"`
	StatedCurrency string `ch:"stated_currency"`
	RequestID      string `ch:"request_id"`
	MessageID      string `ch:"message_id"`
	InputText      int64  `ch:"input_text"`
	CacheReadText  int64  `ch:"cache_read_text"`
	OutputText     int64  `ch:"output_text"`
	WebFetches     int64  `ch:"web_fetches"`
}

// billing returns what a row states; p has the parts on which prices may depend.
func (b *billingRow) billing(p *cost.Parts) (Billing, error) {
	out := Billing{
		RequestedModel: query.Named(b.RequestedModel), ServiceTier: query.Named(b.ServiceTier),
		Speed: query.Named(b.Speed), Region: query.Named(b.Region),
		RequestID: query.Named(b.RequestID), MessageID: query.Named(b.MessageID),
		Parts: Parts{
			Input:     Modalities{b.InputText, p.InputAudio, p.InputImage, p.InputVideo},
			CacheRead: Modalities{b.CacheReadText, p.CacheReadAudio, p.CacheReadImage, p.CacheReadVideo},
			Output:    Modalities{b.OutputText, p.OutputAudio, p.OutputImage, p.OutputVideo},
		},
		Tools: Tools{p.WebSearches, b.WebFetches, p.CodeExecutions},
	}
	if b.StatedCost == "" {
		return out, nil
	}
	amount, err := decimal.NewFromString(b.StatedCost)
	if err != nil {
		return out, fmt.Errorf("stated cost %q: %w", b.StatedCost, err)
	}
	out.StatedCost = &cost.Money{Amount: amount, Currency: b.StatedCurrency}
	return out, nil
}
