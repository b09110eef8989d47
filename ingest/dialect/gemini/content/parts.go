package content

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Parts reads the tokens of a usage by modality.
func Parts(usage []byte) (p schema.TokenParts) {
	p.Input = modalities(usage, "promptTokensDetails", "toolUsePromptTokensDetails")
	p.CacheRead = modalities(usage, "cacheTokensDetails")
	p.Input.Subtract(p.CacheRead)
	p.Output = modalities(usage, "candidatesTokensDetails", "responseTokensDetails")
	return p
}

// modalities adds up lists of {"modality","tokenCount"}. Documents are in none of the counts.
func modalities(usage []byte, lists ...string) (m schema.Modalities) {
	for _, name := range lists {
		dialect.RawElements(dialect.RawMember(usage, name), func(one []byte) bool {
			n, _ := dialect.RawUint(dialect.RawMember(one, "tokenCount"))
			switch string(dialect.RawText(one, "modality")) {
			case "TEXT":
				m.Text += n
			case "AUDIO":
				m.Audio += n
			case "IMAGE":
				m.Image += n
			case "VIDEO":
				m.Video += n
			}
			return true
		})
	}
	return m
}
