"""The top level and what is asked of devices: hal, runtime, device_context, generators, settings."""

import numpy as np
import pytest

import msjax as ms


def test_devices_are_those_of_jax():
    assert ms.hal.device_count("CPU") >= 1
    assert ms.hal.is_available("CPU")
    assert ms.hal.device_count("Ascend") == 0
    assert not ms.device_context.ascend.is_available()
    assert ms.hal.get_device_name(0, "CPU") == "CPU"
    assert not ms.hal.is_initialized("Ascend")
    held = ms.Tensor([1.0])
    assert ms.hal.is_initialized("CPU"), held
    assert ms.get_current_device() == ("CPU", 0)
    with pytest.raises(ValueError, match="Received: 'X'"):
        ms.hal.device_count("X")
    with pytest.raises(ValueError, match="device_id"):
        ms.hal.get_device_name(99, "CPU")


def test_streams_and_events():
    start, end = ms.hal.Event(enable_timing=True), ms.hal.Event(enable_timing=True)
    stream = ms.hal.Stream()
    with ms.hal.StreamCtx(stream):
        assert ms.hal.current_stream() == stream
        start.record()
        y = ms.ops.ones((4, 4)) + 1
        end.record()
    assert ms.hal.current_stream() == ms.hal.default_stream() != stream
    assert start.elapsed_time(end) >= 0
    assert stream.query()
    stream.wait_event(stream.record_event())
    ms.runtime.synchronize()
    assert y.sum().item() == 32
    with pytest.raises(RuntimeError, match="enable_timing"):
        start.elapsed_time(ms.hal.Event())
    with pytest.raises(TypeError, match="Received"):
        ms.hal.set_cur_stream(1)


def test_settings_are_checked():
    ms.device_context.cpu.op_tuning.threads_num(3)
    for call, error in [
        (lambda: ms.device_context.cpu.op_tuning.threads_num(-1), ValueError),
        (lambda: ms.device_context.gpu.op_precision.matmul_allow_tf32(1), TypeError),
        (lambda: ms.device_context.ascend.op_tuning.aoe_tune_mode("x"), ValueError),
        (lambda: ms.runtime.set_memory(init_size="2"), ValueError),
        (lambda: ms.runtime.set_kernel_launch_group(0), ValueError),
        (lambda: ms.set_recursion_limit(-1), ValueError),
        (lambda: ms.get_auto_parallel_context("zzz"), ValueError),
        (lambda: ms.set_auto_parallel_context(parallel_mode="zzz"), ValueError),
        (lambda: ms.set_auto_parallel_context(pipeline_stages=0), ValueError),
        (lambda: ms.set_auto_parallel_context(device_num=0), ValueError),
        (lambda: ms.set_auto_parallel_context(global_rank=-1), ValueError),
        (lambda: ms.set_auto_parallel_context(full_batch=3), TypeError),
        (lambda: ms.set_auto_parallel_context(dataset_strategy="x"), ValueError),
        (lambda: ms.set_auto_parallel_context(dataset_strategy=[(1, 1)]), TypeError),
        (lambda: ms.set_auto_parallel_context(dataset_strategy=(1, 2)), TypeError),
        (lambda: ms.set_auto_parallel_context(enable_parallel_optimizer=3), TypeError),
        (lambda: ms.set_auto_parallel_context(parallel_optimizer_config={"x": 1}), ValueError),
        (lambda: ms.no_inline(), ValueError),
    ]:
        with pytest.raises(error, match="Received"):
            call()


def test_operators_are_distributed_over_one_device(monkeypatch):
    monkeypatch.setattr("jax.device_count", lambda: 1)
    product = ms.ops.MatMul().shard(((2, 4), (4, 1)))
    settings = {"parallel_mode": "semi_auto_parallel", "device_num": 8, "pipeline_stages": 2}
    ms.set_auto_parallel_context(**settings)
    assert ms.get_auto_parallel_context("parallel_mode") == "semi_auto_parallel"
    for call in (product, ms.jit(product)):
        assert call(ms.ops.ones((2, 3)), ms.ops.ones((3, 2))).asnumpy().tolist() == [[3, 3], [3, 3]]
    ms.reset_auto_parallel_context()
    monkeypatch.setattr("jax.device_count", lambda: 2)
    with pytest.raises(NotImplementedError, match="hybrid_parallel"):
        ms.set_auto_parallel_context(parallel_mode="hybrid_parallel")


def test_parameter_servers_are_not_there():
    with pytest.warns(UserWarning, match="enable_ps"):
        ms.set_ps_context(enable_ps=True, client_password="")
    assert ms.get_ps_context("enable_ps") is True
    ms.reset_ps_context()
    assert ms.get_ps_context("enable_ps") is False


def test_parallel_settings_are_those_of_one_process():
    assert ms.get_auto_parallel_context("parallel_mode") == "stand_alone"
    ms.context.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
    assert ms.get_auto_parallel_context("gradients_mean") is True
    ms.reset_auto_parallel_context()
    assert ms.get_auto_parallel_context("gradients_mean") is False
    assert ms.get_algo_parameters("fully_use_devices") is False


def test_settings_of_1_0_are_taken():
    ms.context.set_auto_parallel_context(mirror_mean=True, cast_before_mirror=False)
    assert ms.get_auto_parallel_context("gradients_mean") is True
    assert ms.get_auto_parallel_context("gradient_fp32_sync") is False
    ms.reset_auto_parallel_context()
    ms.set_context(
        enable_dynamic_memory=True, enable_task_sink=True, backend_policy="vm", enable_debugger=False
    )
    with pytest.raises(ValueError, match="enable_dynamic_memries"):
        ms.set_context(enable_dynamic_memries=True)


def test_generators():
    first, second = ms.Generator().manual_seed(3), ms.Generator()
    second.set_state(first.get_state())
    assert (first.get_state() == second.get_state()).all()
    ms.manual_seed(3)
    a = ms.ops.rand(4)
    assert (ms.manual_seed(3), (ms.ops.rand(4) == a).all())[1]
    assert ms.initial_seed() == 3
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    ms.manual_seed(4)
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    with pytest.raises(TypeError, match="Received"):
        ms.manual_seed(1.5)
    with pytest.raises(RuntimeError, match="uint8"):
        first.set_state(ms.Tensor([1, 2]))
    assert ms.Generator().manual_seed(12).get_state().tolist() == [12, *[0] * 15]  # as MindSpore shows it
    before = ms.get_rng_state()
    a = ms.ops.rand(4)
    ms.set_rng_state(before)
    assert (ms.ops.rand(4) == a).all()


def test_exchange():
    x = ms.from_dlpack(np.arange(3.0))
    assert x.dtype == ms.float64
    assert (np.from_dlpack(ms.to_dlpack(x)) == np.arange(3.0)).all()
    assert ms.frombuffer(
        b"\x01\x00\x02\x00\x03\x00", dtype=ms.int16, count=1, offset=2
    ).asnumpy().tolist() == [2]
    y = ms.Tensor([7])
    ms.swap_tensors(x, y)
    assert x.asnumpy().tolist() == [7]
    with pytest.raises(TypeError, match="Received"):
        ms.to_dlpack(3)


def test_swapped_results_keep_their_gradients():
    x = ms.torch.ones(2, requires_grad=True)
    y, z = x * 2, x * 3
    ms.swap_tensors(y, z)
    assert y.tolist() == [3, 3]
    (y * ms.torch.tensor([1.0, 10.0])).sum().backward()
    assert x.grad.tolist() == [3, 30]
    with pytest.raises(ValueError, match="a view can be swapped"):
        ms.swap_tensors(y[1:], z)


def test_dtypes_of_the_top_level():
    assert ms.bool is ms.bool_
    assert ms.QuantDtype.INT8.value() == 7
    assert ms.is_tensor(ms.Tensor(1))


def test_log(monkeypatch, caplog):
    monkeypatch.setenv("GLOG_v", "3")
    assert ms.get_level() == "3"
    assert ms.get_log_config() == {"GLOG_v": "3", "GLOG_logtostderr": "1"}
    ms.log.warning("unseen")
    ms.log.error("seen %d", 5)
    assert [record.message for record in caplog.records] == ["seen 5"]
    monkeypatch.setenv("GLOG_v", "9")
    with pytest.raises(ValueError, match="Received"):
        ms.get_level()


@pytest.mark.parametrize(
    ("buffer", "given"),
    [
        (b"", {}),
        (b"abcd", {"count": 0}),
        (b"abcd", {"count": -2}),
        (b"abcd", {"count": 3}),
        (b"abcd", {"offset": 4}),
        (b"abcd", {"offset": -2}),
        (b"abcd", {"offset": 1}),
        ([1, 2], {}),
        (b"abcd", {"dtype": "int16"}),
    ],
)
def test_frombuffer_refuses(buffer, given):
    with pytest.raises(RuntimeError, match="frombuffer"):
        ms.frombuffer(buffer, **{"dtype": ms.int16, **given})


def test_steps_of_generators():
    def steps(generator):
        return [int(t) for t in generator._step(ms.Tensor(2, ms.int64))]

    first, second = ms.Generator().manual_seed(5), ms.Generator()
    assert [steps(first), steps(first)] == [[5, 0], [5, 2]]
    second.set_state(first.get_state())
    assert steps(second) == steps(first) == [5, 4]
    compiled = ms.jit(lambda step: first._step(step))
    assert [int(compiled(ms.Tensor(1, ms.int64))[1]) for _ in range(2)] == [6, 7]
    before = ms.get_rng_state()
    found = steps(ms.default_generator)
    ms.set_rng_state(before)
    assert steps(ms.default_generator) == found


def test_devices_have_names() -> None:
    given = ms.get_current_device()
    assert given == (given.device_target, given.device_id) == tuple(given)
    assert str(given) == str(tuple(given))
    with pytest.raises(TypeError, match="device_target"):
        ms.set_device(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="save_graphs"):
        ms.set_context(save_graphs=5)
    assert ms.hal.memory_summary("CPU").count("|\n") == 17
