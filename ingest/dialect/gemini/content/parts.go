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
			modality := dialect.RawText(one, "modality")
			if modality == nil {
				modality = dialect.RawMember(one, "modality") // the number of the enum's value
			}
			switch string(modality) {
			case "TEXT", "1":
				m.Text += n
			case "IMAGE", "2":
				m.Image += n
			case "VIDEO", "3":
				m.Video += n
			case "AUDIO", "4":
				m.Audio += n
			}
			return true
		})
	}
	return m
}

// Tier returns the tier that a trafficType states as a number, or "".
func Tier(usage []byte) string {
	switch string(dialect.RawMember(usage, "trafficType")) {
	case "1":
		return dialect.StatedText([]byte("ON_DEMAND"))
	case "2":
		return dialect.StatedText([]byte("PROVISIONED_THROUGHPUT"))
	}
	return ""
}
