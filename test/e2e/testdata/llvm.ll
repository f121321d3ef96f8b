; Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
; Two functions that do the same each turn, of which the second turns twice as often, for LLVM's lli.
define i64 @llvm_first(i64 %turns) noinline {
begin:
  br label %loop
loop:
  %i = phi i64 [ 0, %begin ], [ %next, %loop ]
  %s = phi i64 [ 1, %begin ], [ %sum, %loop ]
  %times = mul i64 %s, 31
  %part = ashr i64 %s, 7
  %sum = add i64 %times, %part
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %turns
  br i1 %more, label %loop, label %end
end:
  ret i64 %sum
}

define i64 @llvm_second(i64 %turns) noinline {
begin:
  br label %loop
loop:
  %i = phi i64 [ 0, %begin ], [ %next, %loop ]
  %s = phi i64 [ 1, %begin ], [ %sum, %loop ]
  %times = mul i64 %s, 31
  %part = ashr i64 %s, 7
  %sum = add i64 %times, %part
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %turns
  br i1 %more, label %loop, label %end
end:
  ret i64 %sum
}

define i32 @main() {
begin:
  br label %loop
loop:
  %i = phi i32 [ 0, %begin ], [ %next, %loop ]
  %first = call i64 @llvm_first(i64 200000)
  %second = call i64 @llvm_second(i64 400000)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 1000
  br i1 %more, label %loop, label %end
end:
  ret i32 0
}
