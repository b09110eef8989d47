package dialect

import "strings"

// families are the beginnings of models' names that only one provider uses.
var families = []struct{ prefix, provider string }{
	{"claude-", "anthropic"},
	{"gpt-", "openai"}, {"chatgpt-", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4-", "openai"},
	{"gemini-", "google"},
	{"deepseek-", "deepseek"},
	{"grok-", "xai"},
}

// ProviderOf names the provider of a model where its name leaves no doubt, and
// is "" where others serve it as well.
func ProviderOf(model string) string {
	if strings.HasPrefix(model, "gpt-oss") || strings.HasPrefix(model, "deepseek-r1-distill") {
		return "" // open weights: anybody's
	}
	for _, f := range families {
		if strings.HasPrefix(model, f.prefix) {
			return f.provider
		}
	}
	return ""
}
