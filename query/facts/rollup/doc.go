// Package rollup keeps usage records as reports count them, so that a report adds up rows
// instead of merging what streams wrote.
//
// A settlement names batches of rows in the tables settled_usage, settled_costs and
// settled_model_costs, and up to which insert of each table that usage depends on (usage, streams, redecodes, tombstones,
// restores, expirations) they were made. A session of which rows were inserted later is unsettled: readers
// leave out its settled rows and read it from the tables, with the care that this takes. So an
// answer is the same with and without a settlement, whatever changed. What changes a session
// must be an insert into one of these tables; rows of a deleted
// session are removed between two inserts.
//
// A settlement is one row of the table settlements, which is inserted after its batches and
// does not change. A Settler that is killed leaves rows that no settlement names: nothing reads
// them, and a later one removes them.
package rollup
