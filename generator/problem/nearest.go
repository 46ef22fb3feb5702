package problem

import "kubewalk/playground/cluster/suggest"

// Nearest returns the candidate that was probably meant, or "".
func Nearest(word string, candidates []string) string { return suggest.Nearest(word, candidates) }

// DidYouMean is Nearest as a cure; when nothing is near, it names what there is.
func DidYouMean(word string, candidates []string) string { return suggest.Cure(word, candidates) }
