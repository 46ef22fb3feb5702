package demofile

// Whoever reads demos can run those that need CEL.
import _ "kubewalk/playground/controlplane/apiserver/cel/evaluator"
