package api

//go:generate go -C gen run . -out ..
