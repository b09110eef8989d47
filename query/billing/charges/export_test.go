package charges

// WalkInChunks is Walk with the number of records that are read at a time.
var WalkInChunks = walk
