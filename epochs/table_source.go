package epochs

// FrequencySource is a member of a table's header (Header.Extra) that says where the frequency is
// from. FrequencyAssumed, in JSON, is its value where the real clock was unknown.
const (
	FrequencySource  = "freq_source"
	FrequencyAssumed = `"assumed"`
)
