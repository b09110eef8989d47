package prices_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

// TestGenerated compares the SHA-256 of the providers of table.json, without the line ends
// that the generator puts between them, with the one that the generator computed.
func TestGenerated(t *testing.T) {
	text, err := os.ReadFile("table.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Source    struct{ SHA256 string }
		Providers json.RawMessage
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(bytes.ReplaceAll(file.Providers, []byte("\n"), nil))
	if got := hex.EncodeToString(sum[:]); got != file.Source.SHA256 {
		t.Errorf("the providers have the SHA-256 %s, the file states %s: it was edited, or is not what the generator wrote", got, file.Source.SHA256)
	}
}
