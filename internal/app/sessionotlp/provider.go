package sessionotlp

import "cmp"

// providers maps the names of providers in recordings and price tables to the values of gen_ai.provider.name,
// where they differ.
var providers = map[string]string{
	"amazon-bedrock":          "aws.bedrock",
	"aws":                     "aws.bedrock",
	"aws_bedrock":             "aws.bedrock",
	"azure":                   "azure.ai.openai",
	"azure-openai":            "azure.ai.openai",
	"azure_openai":            "azure.ai.openai",
	"bedrock":                 "aws.bedrock",
	"gcp_vertex_ai":           "gcp.vertex_ai",
	"gemini":                  "gcp.gemini",
	"google":                  "gcp.gen_ai",
	"google-vertex":           "gcp.vertex_ai",
	"google-vertex-anthropic": "gcp.vertex_ai",
	"ibm":                     "ibm.watsonx.ai",
	"mistral":                 "mistral_ai",
	"mistralai":               "mistral_ai",
	"moonshot":                "moonshot_ai",
	"moonshotai":              "moonshot_ai",
	"vertex":                  "gcp.vertex_ai",
	"vertex_ai":               "gcp.vertex_ai",
	"watsonx":                 "ibm.watsonx.ai",
	"x-ai":                    "x_ai",
	"xai":                     "x_ai",
}

func providerName(name string) string { return cmp.Or(providers[name], name) }
