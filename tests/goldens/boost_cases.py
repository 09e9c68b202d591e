"""Expressions over the plans and the training of `boost`."""

import numpy as np

CASES = {
    "continuous": "boost.GradientFreeze(4, 0, 0.6, 30).generate_freeze_index_sequence(4, 0, 0.6, 30)",
    "interval": "(np.random.seed(3), boost.GradientFreeze(4, 1, 0.6, 30).generate_freeze_index_sequence(4, 1, 0.6, 30))[1]",
    "one group": "boost.GradientFreeze(1, 0, 0.6, 5).generate_freeze_index_sequence(1, 0, 0.6, 5)",
    "layers": "[[p.name for p in g] for g in boost.GradientFreeze(2, 0, 0.5, 5).split_parameters_groups(net(4), 2)]",
    "groups": "described(ParameterProcess.generate_group_params(net(2).trainable_params()[1:], grouped(net(2))))",
    "centralized": "centralized(net(2))",
    "freeze": "trained(compiled, [0, 1, 1, 0], nn.Momentum)",
    "freeze in turn": "trained(False, None, nn.SGD)",
    "fusion": "[p.comm_fusion for p in ParameterProcess().assign_parameter_group(net(3).trainable_params())]",
    "less bn": "less_bn()",
}


def prelude(ms, boost):
    """The names that the cases use, over MindSpore or msjax."""
    nn = ms.nn
    process = boost.ParameterProcess

    def net(number):
        size = [nn.Dense(2, 2, weight_init="ones", bias_init="zeros") for _ in range(number)]
        return nn.SequentialCell(*size)

    def described(groups):
        return [{k: [p.name for p in v] if "params" in k else v for k, v in g.items()} for g in groups]

    def grouped(network):
        parameters = network.trainable_params()
        return [
            {"params": parameters[:2], "lr": 0.5},
            {"params": parameters[2:3], "lr": 0.1, "weight_decay": 0.1},
        ]

    def centralized(network):
        made = boost.OptimizerProcess(nn.Momentum([{"params": network.trainable_params()}], 0.1, 0.9))
        made.add_grad_centralization(network)
        return described(made.origin_params), type(made.generate_new_optimizer()).__name__

    def trained(jit, strategy, optimizer):
        network = net(2)
        parameters = network.trainable_params()
        more = {"momentum": 0.9} if optimizer is nn.Momentum else {}
        groups = [parameters, parameters[2:]]
        freeze = boost.FreezeOpt(optimizer(parameters, learning_rate=0.01, **more), groups, strategy)
        loss = nn.WithLossCell(network, nn.MSELoss())
        if strategy is None:
            grad = ms.ops.GradOperation(get_by_list=True, sens_param=True)
            steps = boost.freeze_cell(False, loss, freeze, 1.0, grad, False)
        else:
            steps = [boost.BoostTrainOneStepCell(loss, freeze)] * 5
        steps = [ms.jit(s) if jit else s for s in steps]
        x, y = ms.Tensor(np.ones((2, 2), np.float32)), ms.Tensor(np.zeros((2, 2), np.float32))
        losses = [float(step(x, y).asnumpy()) for step in steps]
        return losses, [p.asnumpy().tolist() for p in parameters]

    class Two(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = nn.Dense(2, 2, weight_init="ones", bias_init="ones")
            self.b = nn.Dense(2, 3, weight_init="ones", bias_init="ones")

        def construct(self, x):
            return self.b(self.a(x))

    def less_bn():
        made = boost.LessBN(Two(), True)
        out = made(ms.Tensor(np.ones((1, 2), np.float32)))
        return [p.name for p in made.trainable_params()], out.asnumpy().tolist()

    return {
        "np": np,
        "compiled": "msjax" not in ms.__name__,
        "ParameterProcess": process,
        "nn": nn,
        "boost": boost,
    } | {f.__name__: f for f in (net, described, grouped, centralized, trained, less_bn)}


def outcomes(ms, boost):
    """Return the value of each expression."""
    names = prelude(ms, boost)
    return {name: eval(text, names) for name, text in CASES.items()}
