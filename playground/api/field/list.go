package field

import "strings"

// ErrorList is everything that is wrong with an object, in the order in which it was found.
type ErrorList []*Error

// ToAggregate makes one error of the list: nil for none, its text for one, "[a, b]" for several. The same text is said
// once. Upstream: field/errors.go, ErrorList.ToAggregate.
func (list ErrorList) ToAggregate() error {
	if len(list) == 0 {
		return nil
	}
	seen := map[string]bool{}
	var distinct ErrorList
	for _, e := range list {
		if text := e.Error(); !seen[text] {
			seen[text] = true
			distinct = append(distinct, e)
		}
	}
	return Aggregate(distinct)
}

// Filter returns the errors that drop does not match.
func (list ErrorList) Filter(drop func(*Error) bool) ErrorList {
	var out ErrorList
	for _, e := range list {
		if !drop(e) {
			out = append(out, e)
		}
	}
	return out
}

// Aggregate is an ErrorList as one error. It is never empty.
type Aggregate ErrorList

// Errors lists what the aggregate is made of.
func (a Aggregate) Errors() ErrorList { return ErrorList(a) }

func (a Aggregate) Error() string {
	if len(a) == 1 {
		return a[0].Error()
	}
	texts := make([]string, len(a))
	for i, e := range a {
		texts[i] = e.Error()
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
