package dialect

import "strings"

// families lists prefixes of model names that only one provider uses.
var families = []struct{ prefix, provider string }{
	{"claude-", "anthropic"},
	{"gpt-", "openai"}, {"chatgpt-", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4-", "openai"},
	{"gemini-", "google"},
	{"deepseek-", "deepseek"},
	{"grok-", "xai"},
}

// ProviderOf returns the provider of a model, or "" if several providers serve models with the
// prefix of its name.
func ProviderOf(model string) string {
	if strings.HasPrefix(model, "gpt-oss") || strings.HasPrefix(model, "deepseek-r1-distill") {
		return "" // open weights, which many providers serve
	}
	for _, f := range families {
		if strings.HasPrefix(model, f.prefix) {
			return f.provider
		}
	}
	return ""
}
