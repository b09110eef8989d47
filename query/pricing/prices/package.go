package prices

import (
	"encoding/json"
	"fmt"
)

// LoadPackage reads the data of the package genai-prices (prices/new_data/v2/data.json). The table
// keeps only the data on which prices depend.
func LoadPackage(text []byte) (*Table, error) {
	var providers []Provider
	if err := json.Unmarshal(text, &providers); err != nil {
		return nil, fmt.Errorf("read the data of genai-prices: %w", err)
	}
	return &Table{Providers: providers}, nil
}
