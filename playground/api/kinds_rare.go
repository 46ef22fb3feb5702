package api

// rareKinds are the kinds of AllKinds that Kinds has not: see kinds_rare_table.go.
var rareKinds []*Kind

// storedAs are the names of resources that are another version of one that is stored already.
var storedAs = map[GroupVersionResource]string{
	autoscaling.WithResource("horizontalpodautoscalers"): "horizontalpodautoscalers",
}
