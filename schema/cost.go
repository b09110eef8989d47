package schema

import "strings"

// MaxCost is the maximum length of the decimal number of a stated cost, bytes.
const MaxCost = 64

// StateCost sets the cost that the source states for a usage. A text that is not a decimal number,
// or is longer than MaxCost, clears the cost. A 0 for a usage with tokens also clears it: sources
// state 0 if they do not know a price.
func (u *Usage) StateCost(decimal, currency string) {
	u.Cost, u.Currency = "", ""
	if !IsDecimal(decimal) || isZero(decimal) && u.Tokens.Sum() > 0 {
		return
	}
	u.Cost, u.Currency = strings.Clone(decimal), strings.Clone(currency)
}

// IsDecimal reports whether a text is a JSON number of at most MaxCost bytes that is not negative
// and has an exponent of at most two digits, if any.
func IsDecimal(text string) bool {
	if len(text) > MaxCost {
		return false
	}
	number, exponent, scientific := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, fractional := strings.Cut(number, ".")
	if !isDigits(whole) || len(whole) > 1 && whole[0] == '0' || fractional && !isDigits(fraction) {
		return false
	}
	if !scientific {
		return true
	}
	if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
		exponent = exponent[1:]
	}
	return isDigits(exponent) && len(exponent) <= 2
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

func isZero(decimal string) bool {
	number, _, _ := strings.Cut(strings.ToLower(decimal), "e")
	return strings.Trim(number, "0.") == ""
}
