package metav1

// Table is an answer as a person reads it: columns with names, and a row for each object. The API server makes it when
// a client asks for one, so that every client shows a kind alike.
// Upstream: apimachinery/pkg/apis/meta/v1/types.go, Table.
type Table struct {
	TypeMeta          `json:",inline"`
	ListMeta          `json:"metadata,omitempty"`
	ColumnDefinitions []TableColumnDefinition `json:"columnDefinitions"`
	Rows              []TableRow              `json:"rows"`
}

// TableColumnDefinition is one column. Upstream's has a description too.
type TableColumnDefinition struct {
	Name string `json:"name"`
	// Type is an OpenAPI type: string, integer, boolean, date.
	Type string `json:"type"`
	// Format is "name" for the column that holds the object's name.
	Format string `json:"format,omitempty"`
	// Priority is 0 for what is always shown, 1 for what is shown where there is room.
	Priority int32 `json:"priority"`
}

// TableRow is one object.
type TableRow struct {
	// Cells are strings, int64s or bools, as many as there are columns.
	Cells []any `json:"cells"`
	// Object is the whole object, as with ?includeObject=Object; upstream's default is its metadata.
	Object Object `json:"object,omitempty"`
}
