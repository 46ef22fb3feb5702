package csi

import "errors"

// Code is a status of gRPC.
type Code string

// The codes, with their numbers. Upstream: google.golang.org/grpc/codes.
const (
	DeadlineExceeded   Code = "DeadlineExceeded"
	NotFound           Code = "NotFound"
	ResourceExhausted  Code = "ResourceExhausted"
	FailedPrecondition Code = "FailedPrecondition"
	Aborted            Code = "Aborted"
	OutOfRange         Code = "OutOfRange"
	Unavailable        Code = "Unavailable"
	Canceled           Code = "Canceled"
	Unimplemented      Code = "Unimplemented"
)

var numbers = map[Code]int32{Canceled: 1, DeadlineExceeded: 4, NotFound: 5, ResourceExhausted: 8, FailedPrecondition: 9,
	Aborted: 10, OutOfRange: 11, Unimplemented: 12, Unavailable: 14}

// Error is a call that failed.
type Error struct {
	Code Code
	Desc string
}

func (e *Error) Error() string { return "rpc error: code = " + string(e.Code) + " desc = " + e.Desc }

// CodeOf is an error's code; "" if it is not one of a call.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// Number is a code as VolumeAttachments have it.
func (c Code) Number() int32 { return numbers[c] }
