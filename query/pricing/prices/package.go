package prices

import (
	"encoding/json"
	"fmt"
)

// LoadPackage reads the data of the package genai-prices (prices/new_data/v2/data.json), of
// which a table holds what prices depend on.
func LoadPackage(text []byte) (*Table, error) {
	var providers []Provider
	if err := json.Unmarshal(text, &providers); err != nil {
		return nil, fmt.Errorf("read the data of genai-prices: %w", err)
	}
	return &Table{Providers: providers}, nil
}
