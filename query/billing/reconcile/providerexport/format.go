package providerexport

import "slices"

// Kind is the kind of figures in an export.
type Kind string

// The kinds of exports.
const (
	Usage Kind = "usage" // tokens
	Cost  Kind = "cost"  // money
)

// The providers whose exports are read, by their names in recorded usage.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// Providers lists all of them.
var Providers = []string{OpenAI, Anthropic}

// format is one form of export. Fields are columns of CSV or members of JSON; a dot separates a
// member of a nested object.
type format struct {
	name     string
	provider string
	kind     Kind
	required []string
	optional []string // read if present
	known    []string // accepted and not compared
	// displayNames reports that models have display names, such as Claude Opus 4.5.
	displayNames bool
	read         func(r *row) entry
}

func (f *format) knows(field string) bool {
	return slices.Contains(f.required, field) || slices.Contains(f.optional, field) || slices.Contains(f.known, field)
}

// Members of exports that identify the owner of the usage, and other fields that are not compared.
var (
	openaiOwners = []string{
		"project_id", "project_name", "user_id", "user_name", "user_email", "api_key_id", "api_key_name",
		"organization_id", "organization_name", "api_source",
	}
	openaiTimes     = []string{"start_time_iso", "end_time_iso"}
	anthropicOwners = []string{"api_key_id", "workspace_id", "account_id", "service_account_id"}
	consoleColumns  = []string{
		"api_key", "api_key_id", "api_key_status", "workspace",
		"usage_type", "context_window", "inference_geo", "speed",
	}
	// openaiParts are the parts of input_tokens and output_tokens.
	openaiParts = []string{
		"input_uncached_tokens", "input_text_tokens", "output_text_tokens", "input_cached_text_tokens",
		"input_audio_tokens", "input_cached_audio_tokens", "output_audio_tokens",
		"input_image_tokens", "input_cached_image_tokens", "output_image_tokens",
	}
)

var (
	openaiUsage = &format{
		name: "OpenAI usage", provider: OpenAI, kind: Usage,
		required: []string{"start_time", "end_time", "input_tokens", "output_tokens"},
		optional: []string{"model", "num_model_requests", "input_cached_tokens", "input_cache_write_tokens"},
		known:    slices.Concat([]string{"object", "batch", "service_tier"}, openaiOwners, openaiTimes, openaiParts),
		read:     readOpenAIUsage,
	}
	openaiCostJSON = &format{
		name: "OpenAI costs (JSON)", provider: OpenAI, kind: Cost,
		required: []string{"start_time", "end_time", "amount.value", "amount.currency"},
		optional: []string{"line_item"},
		known:    slices.Concat([]string{"object", "quantity", "quantity_unit"}, openaiOwners, openaiTimes),
		read:     func(r *row) entry { return readOpenAICost(r, "amount.value", "amount.currency") },
	}
	openaiCostCSV = &format{
		name: "OpenAI costs (CSV)", provider: OpenAI, kind: Cost,
		required: []string{"start_time", "end_time", "amount_value", "amount_currency"},
		optional: []string{"line_item"},
		known:    slices.Concat([]string{"quantity", "quantity_unit"}, openaiOwners, openaiTimes),
		read:     func(r *row) entry { return readOpenAICost(r, "amount_value", "amount_currency") },
	}
	anthropicUsageJSON = &format{
		name: "Anthropic usage report", provider: Anthropic, kind: Usage,
		required: []string{
			"starting_at", "ending_at", "uncached_input_tokens", "cache_read_input_tokens",
			"cache_creation.ephemeral_5m_input_tokens", "cache_creation.ephemeral_1h_input_tokens", "output_tokens",
		},
		optional: []string{"model"},
		known: slices.Concat([]string{
			"service_tier", "context_window", "inference_geo", "speed",
			"server_tool_use", "server_tool_use.web_search_requests",
		}, anthropicOwners),
		read: readAnthropicUsageJSON,
	}
	anthropicCostJSON = &format{
		name: "Anthropic cost report", provider: Anthropic, kind: Cost,
		required: []string{"starting_at", "ending_at", "amount", "currency"},
		optional: []string{"model"},
		known: slices.Concat([]string{
			"description", "cost_type", "token_type", "service_tier", "context_window", "inference_geo", "speed",
		}, anthropicOwners),
		read: readAnthropicCostJSON,
	}
	consoleUsageCSV = &format{
		name: "Claude Console usage (CSV)", provider: Anthropic, kind: Usage,
		required: []string{
			"usage_date_utc", "model_version", "usage_input_tokens_no_cache", "usage_input_tokens_cache_write_5m",
			"usage_input_tokens_cache_write_1h", "usage_input_tokens_cache_read", "usage_output_tokens",
		},
		known: slices.Concat([]string{"web_search_count"}, consoleColumns),
		read:  readConsoleUsage,
	}
	consoleCostCSV = &format{
		name: "Claude Console cost (CSV)", provider: Anthropic, kind: Cost, displayNames: true,
		required: []string{"usage_date_utc", "model", "cost_usd"},
		known:    slices.Concat([]string{"token_type", "list_price_usd", "cost_type"}, consoleColumns),
		read:     readConsoleCost,
	}
)

// csvFormat returns the format that has these columns, or nil if there is none.
func csvFormat(columns []string) *format {
	has := func(name string) bool { return slices.Contains(columns, name) }
	switch {
	case has("usage_date_utc") && (has("cost_usd") || has("token_type")):
		return consoleCostCSV
	case has("usage_date_utc"):
		return consoleUsageCSV
	case has("start_time") && (has("amount_value") || has("amount_currency")):
		return openaiCostCSV
	case has("start_time"):
		return openaiUsage
	}
	return nil
}

// jsonFormat returns the format that has these members of a bucket and of one of its results, or
// nil if there is none.
func jsonFormat(fields map[string]string) *format {
	has := func(name string) bool { _, ok := fields[name]; return ok }
	switch {
	case has("starting_at") && has("amount"):
		return anthropicCostJSON
	case has("starting_at"):
		return anthropicUsageJSON
	case has("start_time") && (fields["object"] == "organization.costs.result" || has("amount.value")):
		return openaiCostJSON
	case has("start_time"):
		return openaiUsage
	}
	return nil
}
