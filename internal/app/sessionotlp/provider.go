package sessionotlp

import "cmp"

// providers maps the names of providers in recordings and price tables to the values of gen_ai.provider.name,
// where they differ.
var providers = map[string]string{
	"amazon-bedrock": "aws.bedrock",
	"aws":            "aws.bedrock",
	"azure":          "azure.ai.openai",
	"bedrock":        "aws.bedrock",
	"gemini":         "gcp.gemini",
	"google":         "gcp.gen_ai",
	"google-vertex":  "gcp.vertex_ai",
	"mistral":        "mistral_ai",
	"moonshotai":     "moonshot_ai",
	"vertex":         "gcp.vertex_ai",
	"x-ai":           "x_ai",
	"xai":            "x_ai",
}

func providerName(name string) string { return cmp.Or(providers[name], name) }
