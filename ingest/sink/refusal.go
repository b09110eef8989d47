package sink

import (
	"errors"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
)

// blockErrors are the ClickHouse errors that are caused by the rows of an insert: their values,
// types and sizes. The comments name the ClickHouse source files that raise the errors;
// src/Common/ErrorCodes.cpp lists the codes. Any other code, including an unknown one, counts as a
// fault of the server, the tables, the users or the connection. Examples are too many parts, a
// missing table, memory, disk space, a read-only table or user, a password, a quota, a timeout, a
// cancelled query.
var blockErrors = map[proto.Error]bool{
	// IO/ReadHelpers.cpp and functions such as toDate and toUUID: a text that the default of a
	// column, a constraint or a view cannot parse.
	proto.ErrCannotParseText:                 true, // 6
	proto.ErrCannotParseEscapeSequence:       true, // 25
	proto.ErrCannotParseQuotedString:         true, // 26
	proto.ErrCannotParseInputAssertionFailed: true, // 27
	proto.ErrCannotParseDate:                 true, // 38
	proto.ErrCannotParseDatetime:             true, // 41
	proto.ErrCannotParseNumber:               true, // 72
	proto.ErrCannotParseUUID:                 true, // 376
	// Interpreters/castColumn.cpp, Functions/FunctionsConversion.h and DataTypes: a value that does
	// not fit the type of its column.
	proto.ErrSizeOfFixedStringDoesntMatch:        true, // 19
	proto.ErrTypeMismatch:                        true, // 53
	proto.ErrArgumentOutOfBound:                  true, // 69
	proto.ErrCannotConvertType:                   true, // 70
	proto.ErrValueIsOutOfRangeOfDataType:         true, // 321
	proto.ErrCannotInsertNullInOrdinaryColumn:    true, // 349
	proto.ErrDecimalOverflow:                     true, // 407
	proto.ErrUnknownElementOfEnum:                true, // 691
	proto.ErrSizesOfArraysDontMatch:              true, // 190, DataTypes/NestedUtils.cpp
	proto.ErrSizesOfNestedColumnsAreInconsistent: true, // 366, likewise
	// DataTypes/Serializations: inconsistent or oversized contents.
	proto.ErrIncorrectData:      true, // 117
	proto.ErrTooLargeArraySize:  true, // 128
	proto.ErrTooLargeStringSize: true, // 131
	// Processors/Transforms/CheckConstraintsTransform.cpp: a row that violates a CHECK.
	proto.ErrViolatedConstraint: true, // 469
}

// isTooMuch reports whether ClickHouse had too little memory for an insert. A smaller insert may
// succeed.
func isTooMuch(err error) bool {
	var no *ch.Exception
	return errors.As(err, &no) && no.Code == proto.ErrMemoryLimitExceeded
}

// isRefusal reports whether ClickHouse refused rows because of their contents. If it refuses all
// rows in this way, the table is at fault: see isolateRefused.
func isRefusal(err error) bool {
	var no *ch.Exception
	return errors.As(err, &no) && blockErrors[no.Code]
}
